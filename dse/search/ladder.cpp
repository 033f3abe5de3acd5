#include "dse/search/ladder.hpp"

#include "dse/search/candidate_table.hpp"
#include "dse/search/gap.hpp"
#include "dse/search/ideal_point.hpp"
#include "sim/base/check.hpp"

#include <algorithm>

namespace pimdse::dse::search {
namespace {

using Entry = ParetoTree::Entry;

/// A point that failed says nothing about its key.
bool differ(Reply const& a, Reply const& b) {
    if (a.end == Reply::End::failed || b.end == Reply::End::failed) return false;
    return a.end != b.end || (a.end == Reply::End::feasible && a.values != b.values);
}

}  // namespace

Ladder::Ladder(Settings settings, KeyOf key_of, DifferenceOf difference_of)
    : settings_(settings),
      key_of_(std::move(key_of)),
      difference_of_(std::move(difference_of)),
      lows_(settings.objectives, settings.epsilon),
      front_(settings.objectives),
      in_flight_(settings.objectives),
      audit_(settings.audit, settings.seed),
      twin_audit_(settings.audit, settings.seed) {
    sim::expects(settings.objectives >= 1 && settings.objectives <= ParetoTree::most_dimensions,
                 "there are one to six objectives");
}

void Ladder::add(space::PointId point, IdealPoint const& ideal) {
    auto const known = static_cast<Item>(candidates_.size());
    sim::expects(!ranked_ && (known == 0 || candidates_.id(known - 1) < point),
                 "points come in order, before anything is asked");
    candidates_.add(point);
    lows_.add(ideal);
}

Entry const* Ladder::closer_of(space::PointId least, Values const& ideal) const {
    auto const reach = lows_.reach(ideal);
    auto const* member = front_.cover(reach);  // one that is equal is the only one
    bool const closes = member != nullptr && covers(member->values, member->point, reach, least, settings_.objectives);
    return closes ? member : nullptr;
}

/// All that is ready, by ideal points as they are now.
void Ladder::rank() {
    ranked_ = true;
    ranking_ = Ranking(candidates_.in(State::ready), lows_.all(), settings_.objectives);
}

std::vector<space::PointId> Ladder::ask(std::uint64_t most) {
    std::vector<space::PointId> runs;
    while (runs.size() < most && may_run()) {
        if (!ranked_) rank();
        auto const item = ranking_.take();
        if (!item) break;
        auto const key = key_to_run(*item);
        if (!key) continue;
        submit(*item, *key, InFlight::Why::undecided);
        runs.push_back(candidates_.id(*item));
    }
    if (!runs.empty()) return runs;
    if (in_flight_.empty()) runs = confirmations(most);
    if (runs.empty() && in_flight_.empty() && settings_.audit > 0 && !audit_.begun()) {
        sensitivities_ = sensitivities();  // before the audit answers some of them
        to_audit_ = candidates_.in(State::closed);
        audit_.begin(to_audit_.size());
    }
    if (runs.empty()) runs = audited(most);
    return runs.empty() ? audited_twins(most) : runs;
}

SearchStatus Ladder::status(space::PointId least, Values const& ideal) const {
    if (auto const* member = closer_of(least, ideal)) return {SearchStatus::Kind::covered, member->point};
    auto const* blocker = in_flight_.blocker_of(least, lows_.reach(ideal));
    return blocker != nullptr ? SearchStatus{SearchStatus::Kind::blocked, blocker->point} : SearchStatus{};
}

SearchStatus Ladder::run(space::PointId point, IdealPoint const& ideal) {
    auto const key = key_of_(point);
    auto const* twin = in_flight_.with(key);
    if (twin != nullptr) return {SearchStatus::Kind::blocked, twin->point};
    auto const item = candidates_.add_anywhere(point);
    lows_.add(ideal);
    if (auto const done = done_.find(key); done != done_.end()) {
        settle_twin(item, done->second);
        return {SearchStatus::Kind::answered, candidates_.id(done->second.item)};
    }
    submit(item, key, InFlight::Why::undecided);
    return {};
}

std::optional<models::CycleKey> Ladder::key_to_run(Item item) {
    auto const ideal = ideal_point_of(item);
    if (covered(item, ideal)) {
        candidates_.set(item, State::closed);
        return std::nullopt;
    }
    auto* blocker = in_flight_.blocker_of(candidates_.id(item), lows_.reach(ideal));
    std::optional<models::CycleKey> key;
    if (blocker == nullptr) {
        key = key_of_(candidates_.id(item));
        if (auto const done = done_.find(*key); done != done_.end()) {
            settle_twin(item, done->second);
            return std::nullopt;
        }
        blocker = in_flight_.with(*key);
    }
    if (blocker == nullptr) return key;
    blocker->waiting.push_back(item);
    candidates_.set(item, State::waiting);
    return std::nullopt;
}

void Ladder::submit(Item item, models::CycleKey key, InFlight::Why why) {
    in_flight_.submit({candidates_.id(item), item, key, ideal_point_of(item), why, {}});
    candidates_.set(item, State::flying);
    ++runs_;
}

/// Twins whose ids are smaller than those of the points that were answered in their place.
std::vector<space::PointId> Ladder::confirmations(std::uint64_t most) {
    std::vector<space::PointId> runs;
    if (twins_.empty()) return runs;
    for (auto const& member : members()) {
        auto const item = candidates_.item_of(member.point);
        if (candidates_.state(item) != State::twin || runs.size() >= most) continue;
        submit(item, key_of_(member.point), InFlight::Why::confirms);
        runs.push_back(member.point);
    }
    return runs;
}

void Ladder::tell(space::PointId point, Reply const& reply) {
    auto const in_flight = in_flight_.complete(point);
    candidates_.set(in_flight.item, State::answered);
    for (auto const item : in_flight.waiting) candidates_.set(item, State::ready);
    ranking_.give_back(in_flight.waiting);
    if (in_flight.why == InFlight::Why::confirms || in_flight.why == InFlight::Why::audits_twin)
        return confirm(in_flight, reply);
    auto const [done, fresh] = done_.emplace(in_flight.key, Done{reply, in_flight.item});
    if (!fresh) compare(in_flight.item, reply, done->second);
    if (in_flight.why == InFlight::Why::audits) audit_.landed(is_missing(in_flight.item, reply));
    settle(in_flight.item, reply);
}

void Ladder::settle(Item item, Reply const& reply) {
    if (reply.end == Reply::End::failed) candidates_.set(item, State::failed);
    if (reply.end != Reply::End::feasible) return;
    front_.insert({reply.values, candidates_.id(item)});
    check_bounds(item, reply.values);
}

void Ladder::settle_twin(Item item, Done const& done) {
    auto const difference =
        difference_of_ ? difference_of_(candidates_.id(done.item), candidates_.id(item)) : std::optional<std::string>();
    if (difference) throw BrokenKey(candidates_.id(done.item), candidates_.id(item), *difference);
    candidates_.set(item, State::twin);
    twins_.emplace(item, done.item);
    settle(item, done.reply);
    if (candidates_.state(item) == State::failed) twins_.erase(item);
}

void Ladder::check_bounds(Item item, Values const& values) {
    auto const ideal = ideal_point_of(item);
    bool wrong = false;
    for (std::size_t i = 0; i < settings_.objectives; ++i) {
        if (values[i] >= ideal[i]) continue;
        double const low = lows_.given(item, i);
        if (!lows_.is_calibrated(item, i)) throw BrokenBound(candidates_.id(item), i, low, values[i]);
        lows_.widen(i, low, values[i]);
        wrong = true;
    }
    if (!wrong) return;
    ++below_;
    open_again();
}

/// What rests on lows that were too high.
void Ladder::open_again() {
    for (Item item = 0; item < candidates_.size(); ++item) {
        bool const lost = candidates_.state(item) == State::closed && !covered(item, ideal_point_of(item));
        if (lost || candidates_.state(item) == State::waiting) candidates_.set(item, State::ready);
    }
    for (auto& in_flight : in_flight_.all()) {
        in_flight.waiting.clear();
        in_flight.ideal = ideal_point_of(in_flight.item);
    }
    rank();
}

Standing Ladder::standing(std::vector<Values> others, bool all) const {
    std::erase_if(others, [&](Values const& low) { return front_.cover(low) != nullptr; });
    std::vector<Values> front;
    for (auto const& member : members()) front.push_back(member.values);
    auto const gap = gap_between(front, others, settings_.objectives);
    return {candidates_.count(State::closed), candidates_.count(State::flying),
            candidates_.count(State::ready) + candidates_.count(State::waiting) + candidates_.failed().size(),
            gap.share, gap.rough || !all};
}

std::vector<Entry> Ladder::members() const {
    auto all = front_.entries();
    std::ranges::sort(all, {}, &Entry::point);
    return all;
}

std::optional<space::PointId> Ladder::witness_of(space::PointId least, Values const& ideal) const {
    auto const reach = lows_.reach(ideal);
    auto const* member = front_.cover(reach);
    if (member == nullptr) return std::nullopt;
    auto const point = answered_for(member->point);
    bool const holds = covers(member->values, point, reach, least, settings_.objectives);
    return holds ? std::optional(point) : std::nullopt;
}

Certificate Ladder::certificate() const {
    Certificate certificate;
    certificate.runs = runs_;
    certificate.below = below_;
    certificate.epsilon = settings_.epsilon;
    certificate.audited = audit_.points();
    certificate.audited_wrong = audit_.wrong();
    certificate.audited_twins = twin_audit_.points();
    certificate.sensitivities = sensitivities_;
    certificate.best.resize(settings_.objectives);
    for (std::size_t i = 0; i < settings_.objectives; ++i)
        certificate.grounds.push_back({models::Bound::proved, lows_.slack(i)});
    auto front = members();
    for (auto& member : front) member.point = answered_for(member.point);
    Witnesses const witnesses(std::move(front), lows_, settings_.objectives);
    for (Item item = 0; item < candidates_.size(); ++item) {
        if (candidates_.state(item) != State::answered) put(item, witnesses, certificate);
    }
    return certificate;
}

/// One that has no answer of its own.
void Ladder::put(Item item, Witnesses const& witnesses, Certificate& into) const {
    auto const twin = twins_.find(item);
    if (twin != twins_.end() && candidates_.state(item) != State::failed) {
        into.twins.push_back(candidates_.id(item));
        into.representatives.push_back(candidates_.id(twin->second));
    } else if (candidates_.state(item) == State::failed || !witnesses.put_closed(item, candidates_.id(item), into)) {
        into.open.push_back(candidates_.id(item));
    }
}

std::vector<Certificate::BoundSensitivity> Ladder::sensitivities() const {
    return sensitivities_of(lows_, candidates_.in(State::closed),
                            {[this](Item item, Values const& ideal) { return covered(item, ideal); },
                             [this](Item item) {
                                 auto const key = key_of_(candidates_.id(item));
                                 return done_.contains(key) ? std::nullopt : std::optional(key);
                             }});
}

// What is simulated in the end although bounds or cycle keys decided it.

std::vector<space::PointId> Ladder::audited(std::uint64_t most) {
    std::vector<space::PointId> runs;
    while (auto const next = runs.size() < most ? audit_.next() : std::nullopt) {
        auto const item = to_audit_[*next];
        audit_.taken();
        if (candidates_.state(item) != State::closed) continue;  // it was opened again, and looked at
        audit(item, key_of_(candidates_.id(item)));
        runs.push_back(candidates_.id(item));
    }
    return runs;
}

void Ladder::audit(Item item, models::CycleKey key) {
    submit(item, key, InFlight::Why::audits);
    audit_.launched();
}

void Ladder::audit(space::PointId point, IdealPoint const& ideal) {
    auto const item = candidates_.add_anywhere(point);
    lows_.add(ideal);
    audit(item, key_of_(point));
}

std::vector<space::PointId> Ladder::audited_twins(std::uint64_t most) {
    std::vector<space::PointId> runs;
    if (!audit_.begun()) return runs;
    if (!twin_audit_.begun()) {
        twins_to_audit_ = candidates_.in(State::twin);
        twin_audit_.begin(twins_to_audit_.size());
    }
    while (auto const next = runs.size() < most ? twin_audit_.next() : std::nullopt) {
        auto const item = twins_to_audit_[*next];
        twin_audit_.taken();
        if (candidates_.state(item) != State::twin) continue;  // it was simulated meanwhile
        submit(item, key_of_(candidates_.id(item)), InFlight::Why::audits_twin);
        twin_audit_.launched();
        runs.push_back(candidates_.id(item));
    }
    return runs;
}

bool Ladder::is_missing(Item item, Reply const& reply) const {
    return reply.end == Reply::End::feasible && !covered(item, reply.values);
}

void Ladder::confirm(InFlight const& in_flight, Reply const& reply) {
    if (in_flight.why == InFlight::Why::audits_twin) twin_audit_.landed(false);  // a difference ends the search
    if (reply.end == Reply::End::failed) candidates_.set(in_flight.item, State::failed);
    compare(in_flight.item, reply, done_.at(in_flight.key));
}

void Ladder::compare(Item item, Reply const& reply, Done const& done) const {
    if (differ(reply, done.reply)) throw BrokenKey(candidates_.id(done.item), candidates_.id(item));
}

}  // namespace pimdse::dse::search
