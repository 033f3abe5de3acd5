#include "dse/search/bounded_search.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::dse::search {
namespace {

using Entry = ParetoTree::Entry;

constexpr std::uint64_t runs_for_one_more = 16, max_batch = 256;

/// A failed point does not contradict another point with its key.
bool differ(Reply const& a, Reply const& b) {
    if (a.end == Reply::End::failed || b.end == Reply::End::failed) return false;
    return a.end != b.end || (a.end == Reply::End::feasible && a.values != b.values);
}

}  // namespace

BoundedSearch::BoundedSearch(Settings settings, KeyOf key_of, DifferenceOf difference_of)
    : settings_(settings),
      key_of_(std::move(key_of)),
      difference_of_(std::move(difference_of)),
      lower_bounds_(settings.objectives, settings.epsilon),
      waiting_(settings.objectives),
      front_(settings.objectives),
      in_flight_(settings.objectives),
      audit_(settings.audit, settings.seed),
      equal_key_audit_(settings.audit, settings.seed) {
    sim::expects(settings.objectives >= 1 && settings.objectives <= ParetoTree::max_dimensions,
                 "there are one to six objectives");
}

void BoundedSearch::add(space::PointId point, IdealPoint const& ideal) {
    auto const known = static_cast<Item>(candidates_.size());
    sim::expects(!ranked_ && (known == 0 || candidates_.id(known - 1) < point),
                 "points are added in ascending order, before the first ask()");
    candidates_.add(point);
    lower_bounds_.add(ideal);
}

Entry const* BoundedSearch::dominator_of(space::PointId min_id, Values const& reach) const {
    auto const* member = front_.dominator(reach);  // a member with equal values is the only dominating one
    bool const prunes =
        member != nullptr && dominates(member->values, member->point, reach, min_id, settings_.objectives);
    return prunes ? member : nullptr;
}

/// Ranks all ready points by their current ideal points.
void BoundedSearch::rank() {
    ranked_ = true;
    ranking_ = Ranking(candidates_.in(State::ready), lower_bounds_.all(), settings_.objectives);
    waiting_ = WaitingQueue<std::uint32_t>(settings_.objectives);
}

std::optional<BoundedSearch::Item> BoundedSearch::next_item() {
    auto const judge = [this](space::PointId min_id, Values const& best) { return status(min_id, best); };
    auto const prune = [this](std::uint32_t rank) { candidates_.set(ranking_.at(rank), State::pruned); };
    while (!waiting_.idle())
        if (auto const rank = waiting_.visit(judge, prune)) return ranking_.at(*rank);
    return ranking_.take();
}

std::vector<space::PointId> BoundedSearch::rest_of_batch(std::uint64_t max) {
    auto const count = std::min<std::uint64_t>(max, batch_.size());
    std::vector<space::PointId> points(batch_.rbegin(), batch_.rbegin() + static_cast<std::ptrdiff_t>(count));
    batch_.resize(batch_.size() - count);
    return points;
}

std::uint64_t BoundedSearch::begin_batch(std::uint64_t max) {
    in_batch_ = settings_.objectives == 1 && in_flight_.empty() && max > 0;
    return in_batch_ ? std::clamp<std::uint64_t>(runs_ / runs_for_one_more, 1, max_batch) : max;
}

std::vector<space::PointId> BoundedSearch::end_batch(std::vector<space::PointId> runs, std::uint64_t max) {
    if (!std::exchange(in_batch_, false)) return runs;
    batch_.assign(runs.rbegin(), runs.rend());
    return rest_of_batch(max);
}

std::vector<space::PointId> BoundedSearch::ask(std::uint64_t max) {
    if (!batch_.empty()) return rest_of_batch(max);
    std::vector<space::PointId> runs;
    auto const wanted = begin_batch(max);
    while (runs.size() < wanted && may_run()) {
        if (!ranked_) rank();
        auto const item = next_item();
        if (!item) break;
        auto const key = key_to_run(*item);
        if (!key) continue;
        submit(*item, *key, InFlight::Why::undecided);
        runs.push_back(candidates_.id(*item));
    }
    runs = end_batch(std::move(runs), max);
    if (!runs.empty()) return runs;
    if (in_flight_.empty()) runs = confirmations(max);
    if (runs.empty() && in_flight_.empty() && settings_.audit > 0 && !audit_.begun()) {
        sensitivities_ = sensitivities();  // before the audit evaluates some of these points
        to_audit_ = candidates_.in(State::pruned);
        audit_.begin(to_audit_.size());
    }
    if (runs.empty()) runs = audited(max);
    return runs.empty() ? audited_equal_keys(max) : runs;
}

SearchStatus BoundedSearch::status(space::PointId min_id, Values const& reach) const {
    if (auto const* member = dominator_of(min_id, reach)) return {SearchStatus::Kind::dominated, member->point};
    if (in_batch_) return {};
    auto const* blocker = in_flight_.blocker_of(min_id, reach);
    return blocker != nullptr ? SearchStatus{SearchStatus::Kind::blocked, blocker->point} : SearchStatus{};
}

SearchStatus BoundedSearch::run(space::PointId point, IdealPoint const& ideal) {
    auto const key = key_of_(point);
    auto const* equal_key = in_flight_.with(key);
    if (equal_key != nullptr) return {SearchStatus::Kind::blocked, equal_key->point};
    auto const item = candidates_.add_anywhere(point);
    lower_bounds_.add(ideal);
    if (auto const done = done_.find(key); done != done_.end()) {
        settle_equal_key(item, done->second);
        return {SearchStatus::Kind::evaluated, candidates_.id(done->second.item)};
    }
    submit(item, key, InFlight::Why::undecided);
    return {};
}

std::optional<models::CycleKey> BoundedSearch::key_to_run(Item item) {
    auto const id = candidates_.id(item);
    auto const now = status(id, reach(ideal_point_of(item)));
    if (now.kind == SearchStatus::Kind::dominated) candidates_.set(item, State::pruned);
    if (now.kind == SearchStatus::Kind::blocked) wait_for(now.by, item);
    if (now.kind != SearchStatus::Kind::free) return std::nullopt;
    auto const key = key_of_(id);
    if (auto const done = done_.find(key); done != done_.end()) {
        settle_equal_key(item, done->second);
        return std::nullopt;
    }
    if (auto const* equal_key = in_flight_.with(key)) {
        wait_for(equal_key->point, item);
        return std::nullopt;
    }
    return key;
}

void BoundedSearch::submit(Item item, models::CycleKey key, InFlight::Why why) {
    in_flight_.submit({candidates_.id(item), item, key, ideal_point_of(item), why});
    candidates_.set(item, State::in_flight);
    ++runs_;
}

/// Equal-key points on the front whose ids are smaller than those of the points evaluated in their place.
std::vector<space::PointId> BoundedSearch::confirmations(std::uint64_t max) {
    std::vector<space::PointId> runs;
    if (equal_keys_.empty()) return runs;
    for (auto const& member : members()) {
        auto const item = candidates_.item_of(member.point);
        if (candidates_.state(item) != State::equal_key || runs.size() >= max) continue;
        submit(item, key_of_(member.point), InFlight::Why::confirms);
        runs.push_back(member.point);
    }
    return runs;
}

void BoundedSearch::tell(space::PointId point, Reply const& reply) {
    auto const in_flight = in_flight_.complete(point);
    candidates_.set(in_flight.item, State::evaluated);
    waiting_.release(point);
    if (in_flight.why == InFlight::Why::confirms || in_flight.why == InFlight::Why::audits_equal_key)
        return confirm(in_flight, reply);
    auto const [done, fresh] = done_.emplace(in_flight.key, Done{reply, in_flight.item});
    if (!fresh) compare(in_flight.item, reply, done->second);
    if (in_flight.why == InFlight::Why::audits) audit_.completed(is_missing(in_flight.item, reply));
    settle(in_flight.item, reply);
}

void BoundedSearch::settle(Item item, Reply const& reply) {
    if (reply.end == Reply::End::failed) candidates_.set(item, State::failed);
    if (reply.end != Reply::End::feasible) return;
    front_.insert({reply.values, candidates_.id(item)});
    check_bounds(item, reply.values);
}

void BoundedSearch::settle_equal_key(Item item, Done const& done) {
    auto const difference =
        difference_of_ ? difference_of_(candidates_.id(done.item), candidates_.id(item)) : std::optional<std::string>();
    if (difference) throw BrokenKey(candidates_.id(done.item), candidates_.id(item), *difference);
    candidates_.set(item, State::equal_key);
    equal_keys_.emplace(item, done.item);
    settle(item, done.reply);
    if (candidates_.state(item) == State::failed) equal_keys_.erase(item);
}

void BoundedSearch::check_bounds(Item item, Values const& values) {
    auto const ideal = ideal_point_of(item);
    bool wrong = false;
    for (std::size_t i = 0; i < settings_.objectives; ++i) {
        if (values[i] >= ideal[i]) continue;
        double const lower = lower_bounds_.given(item, i);
        if (!lower_bounds_.is_calibrated(item, i)) throw BrokenBound(candidates_.id(item), i, lower, values[i]);
        lower_bounds_.widen(i, lower, values[i]);
        wrong = true;
    }
    if (!wrong) return;
    ++below_;
    open_again();
}

/// Reopens decisions that relied on lower bounds that turned out to be too high.
void BoundedSearch::open_again() {
    for (Item item = 0; item < candidates_.size(); ++item) {
        bool const lost = candidates_.state(item) == State::pruned && !dominated(item, ideal_point_of(item));
        if (lost) candidates_.set(item, State::ready);
    }
    for (auto& in_flight : in_flight_.all()) in_flight.ideal = ideal_point_of(in_flight.item);
    rank();
}

Standing BoundedSearch::standing(std::vector<Values> others, bool all) const {
    std::erase_if(others, [&](Values const& lower) { return front_.dominator(lower) != nullptr; });
    std::vector<Values> front;
    for (auto const& member : members()) front.push_back(member.values);
    auto const gap = gap_between(front, others, settings_.objectives);
    auto const ready = candidates_.count(State::ready) + batch_.size();
    return {candidates_.count(State::pruned), candidates_.count(State::in_flight) - batch_.size(),
            ready + candidates_.failed().size(), gap.share, gap.rough || !all};
}

std::vector<Entry> BoundedSearch::members() const {
    auto all = front_.entries();
    std::ranges::sort(all, {}, &Entry::point);
    return all;
}

std::optional<space::PointId> BoundedSearch::witness_of(space::PointId min_id, Values const& ideal) const {
    auto const reach = lower_bounds_.reach(ideal);
    auto const* member = front_.dominator(reach);
    if (member == nullptr) return std::nullopt;
    auto const point = evaluated_for(member->point);
    bool const holds = dominates(member->values, point, reach, min_id, settings_.objectives);
    return holds ? std::optional(point) : std::nullopt;
}

Certificate BoundedSearch::certificate() const {
    Certificate certificate;
    certificate.runs = runs_;
    certificate.below = below_;
    certificate.epsilon = settings_.epsilon;
    certificate.audited = audit_.points();
    certificate.audited_wrong = audit_.wrong();
    certificate.audited_equal_keys = equal_key_audit_.points();
    certificate.sensitivities = sensitivities_;
    certificate.best.resize(settings_.objectives);
    for (std::size_t i = 0; i < settings_.objectives; ++i)
        certificate.grounds.push_back({models::Bound::proved, lower_bounds_.slack(i)});
    auto front = members();
    for (auto& member : front) member.point = evaluated_for(member.point);
    Witnesses const witnesses(std::move(front), lower_bounds_, settings_.objectives);
    for (Item item = 0; item < candidates_.size(); ++item) {
        if (candidates_.state(item) != State::evaluated) put(item, witnesses, certificate);
    }
    return certificate;
}

/// Records an item that has no result of its own.
void BoundedSearch::put(Item item, Witnesses const& witnesses, Certificate& into) const {
    auto const equal_key = equal_keys_.find(item);
    if (equal_key != equal_keys_.end() && candidates_.state(item) != State::failed) {
        into.equal_keys.push_back(candidates_.id(item));
        into.representatives.push_back(candidates_.id(equal_key->second));
    } else if (candidates_.state(item) == State::failed || !witnesses.put_pruned(item, candidates_.id(item), into)) {
        into.open.push_back(candidates_.id(item));
    }
}

std::vector<Certificate::BoundSensitivity> BoundedSearch::sensitivities() const {
    return sensitivities_of(lower_bounds_, candidates_.in(State::pruned),
                            {[this](Item item, Values const& ideal) { return dominated(item, ideal); },
                             [this](Item item) {
                                 auto const key = key_of_(candidates_.id(item));
                                 return done_.contains(key) ? std::nullopt : std::optional(key);
                             }});
}

// Points that are simulated in the end although bounds or cycle keys decided them.

std::vector<space::PointId> BoundedSearch::audited(std::uint64_t max) {
    std::vector<space::PointId> runs;
    while (auto const next = runs.size() < max ? audit_.next() : std::nullopt) {
        auto const item = to_audit_[*next];
        audit_.taken();
        if (candidates_.state(item) != State::pruned) continue;  // it was reopened and decided again
        audit(item, key_of_(candidates_.id(item)));
        runs.push_back(candidates_.id(item));
    }
    return runs;
}

void BoundedSearch::audit(Item item, models::CycleKey key) {
    submit(item, key, InFlight::Why::audits);
    audit_.submitted();
}

void BoundedSearch::audit(space::PointId point, IdealPoint const& ideal) {
    auto const item = candidates_.add_anywhere(point);
    lower_bounds_.add(ideal);
    audit(item, key_of_(point));
}

std::vector<space::PointId> BoundedSearch::audited_equal_keys(std::uint64_t max) {
    std::vector<space::PointId> runs;
    if (!audit_.begun()) return runs;
    if (!equal_key_audit_.begun()) {
        equal_keys_to_audit_ = candidates_.in(State::equal_key);
        equal_key_audit_.begin(equal_keys_to_audit_.size());
    }
    while (auto const next = runs.size() < max ? equal_key_audit_.next() : std::nullopt) {
        auto const item = equal_keys_to_audit_[*next];
        equal_key_audit_.taken();
        if (candidates_.state(item) != State::equal_key) continue;  // it was simulated in the meantime
        submit(item, key_of_(candidates_.id(item)), InFlight::Why::audits_equal_key);
        equal_key_audit_.submitted();
        runs.push_back(candidates_.id(item));
    }
    return runs;
}

bool BoundedSearch::is_missing(Item item, Reply const& reply) const {
    return reply.end == Reply::End::feasible && !dominated(item, reply.values);
}

void BoundedSearch::confirm(InFlight const& in_flight, Reply const& reply) {
    if (in_flight.why == InFlight::Why::audits_equal_key)
        equal_key_audit_.completed(false);  // a different result ends the search
    if (reply.end == Reply::End::failed) candidates_.set(in_flight.item, State::failed);
    compare(in_flight.item, reply, done_.at(in_flight.key));
}

void BoundedSearch::compare(Item item, Reply const& reply, Done const& done) const {
    if (differ(reply, done.reply)) throw BrokenKey(candidates_.id(done.item), candidates_.id(item));
}

}  // namespace pimdse::dse::search
