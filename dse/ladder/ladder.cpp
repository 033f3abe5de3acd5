#include "dse/ladder/ladder.hpp"

#include "dse/ladder/broken.hpp"
#include "dse/ladder/gap.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pimdse::dse::ladder {
namespace {

using Entry = front::ParetoTree::Entry;

bool same(Reply const& a, Reply const& b) {
    return a.end == b.end && (a.end != Reply::End::feasible || a.values == b.values);
}

}  // namespace

Ladder::Ladder(Settings settings, KeyOf key_of)
    : settings_(settings), key_of_(std::move(key_of)), front_(settings.objectives), flights_(settings.objectives) {
    sim::expects(settings.objectives >= 1 && settings.objectives <= front::ParetoTree::most_dimensions,
                 "there are one to six objectives");
}

void Ladder::add(task::PointId point, Corner const& corner) {
    sim::expects(!ranked_ && (ids_.empty() || ids_.back() < point), "points come in order, before anything is asked");
    append(point, corner);
}

Ladder::Item Ladder::append(task::PointId point, Corner const& corner) {
    sim::expects(ids_.size() < std::numeric_limits<Item>::max(), "fewer than 2^32 points are listed");
    ids_.push_back(point);
    lows_.insert(lows_.end(), corner.low.begin(),
                 corner.low.begin() + static_cast<std::ptrdiff_t>(settings_.objectives));
    calibrated_.push_back(corner.calibrated);
    states_.push_back(State::ready);
    ++count(State::ready);
    return static_cast<Item>(ids_.size() - 1);
}

Values Ladder::corner_of(Item item) const {
    Values corner{};
    for (std::size_t i = 0; i < settings_.objectives; ++i) {
        double const low = lows_[item * settings_.objectives + i];
        corner[i] = (calibrated_[item] >> i & 1) != 0 && slack_[i] > 0.0 ? widened(low, slack_[i]) : low;
    }
    return corner;
}

bool Ladder::covered(Item item, Values const& corner) const {
    auto const* member = front_.cover(corner);  // one that is equal is the only one
    return member != nullptr && covers(member->values, member->point, corner, ids_[item], settings_.objectives);
}

Ladder::Item Ladder::item_of(task::PointId point) const {
    if (!places_.empty()) return places_.at(point);
    auto const at = std::lower_bound(ids_.begin(), ids_.end(), point);
    sim::expects(at != ids_.end() && *at == point, "the point was added");
    return static_cast<Item>(at - ids_.begin());
}

/// All that is ready, by corners as they are now.
void Ladder::rank() {
    ranked_ = true;
    std::vector<Item> items;
    for (Item item = 0; item < ids_.size(); ++item) {
        if (states_[item] == State::ready) items.push_back(item);
    }
    std::vector<double> corners;
    corners.reserve(lows_.size());
    for (Item item = 0; item < ids_.size(); ++item) {
        auto const corner = corner_of(item);
        corners.insert(corners.end(), corner.begin(),
                       corner.begin() + static_cast<std::ptrdiff_t>(settings_.objectives));
    }
    ranking_ = Ranking(std::move(items), corners, settings_.objectives);
}

std::vector<task::PointId> Ladder::ask(std::uint64_t most) {
    std::vector<task::PointId> runs;
    while (runs.size() < most && may_run()) {
        if (!ranked_) rank();
        auto const item = ranking_.take();
        if (!item) break;
        auto const key = key_to_run(*item);
        if (!key) continue;
        launch(*item, *key, false);
        runs.push_back(ids_[*item]);
    }
    if (runs.empty() && flights_.empty()) return confirmations(most);
    return runs;
}

Outlook Ladder::outlook(task::PointId least, Values const& corner) const {
    auto const* member = front_.cover(corner);
    if (member != nullptr && covers(member->values, member->point, corner, least, settings_.objectives))
        return {Outlook::Kind::covered, member->point};
    auto const* blocker = flights_.blocker_of(least, corner);
    return blocker != nullptr ? Outlook{Outlook::Kind::blocked, blocker->point} : Outlook{};
}

Outlook Ladder::run(task::PointId point, Corner const& corner) {
    auto const key = key_of_(point);
    auto const* twin = flights_.with(key);
    if (twin != nullptr) return {Outlook::Kind::blocked, twin->point};
    auto const item = append(point, corner);
    places_.emplace(point, item);
    if (auto const done = done_.find(key); done != done_.end()) {
        settle_twin(item, done->second);
        return {Outlook::Kind::answered, ids_[done->second.item]};
    }
    launch(item, key, false);
    return {};
}

std::optional<models::CycleKey> Ladder::key_to_run(Item item) {
    auto const corner = corner_of(item);
    if (covered(item, corner)) {
        set(item, State::closed);
        return std::nullopt;
    }
    auto* blocker = flights_.blocker_of(ids_[item], corner);
    std::optional<models::CycleKey> key;
    if (blocker == nullptr) {
        key = key_of_(ids_[item]);
        if (auto const done = done_.find(*key); done != done_.end()) {
            settle_twin(item, done->second);
            return std::nullopt;
        }
        blocker = flights_.with(*key);
    }
    if (blocker == nullptr) return key;
    blocker->waiting.push_back(item);
    set(item, State::waiting);
    return std::nullopt;
}

void Ladder::launch(Item item, models::CycleKey key, bool confirms) {
    flights_.launch({ids_[item], item, key, corner_of(item), confirms, {}});
    set(item, State::flying);
    ++runs_;
}

/// Twins whose ids are smaller than those of the points that were answered in their place.
std::vector<task::PointId> Ladder::confirmations(std::uint64_t most) {
    std::vector<task::PointId> runs;
    if (twins_.empty()) return runs;
    for (auto const& member : members()) {
        auto const item = item_of(member.point);
        if (states_[item] != State::twin || runs.size() >= most) continue;
        launch(item, key_of_(member.point), true);
        runs.push_back(member.point);
    }
    return runs;
}

void Ladder::tell(task::PointId point, Reply const& reply) {
    auto const flight = flights_.land(point);
    set(flight.item, State::answered);
    if (flight.confirms) return confirm(flight, reply);
    done_.emplace(flight.key, Done{reply, flight.item});
    for (auto const item : flight.waiting) set(item, State::ready);
    ranking_.give_back(flight.waiting);
    settle(flight.item, reply);
}

void Ladder::confirm(Flight const& flight, Reply const& reply) const {
    auto const& done = done_.at(flight.key);
    if (!same(reply, done.reply)) throw BrokenKey(ids_[done.item], ids_[flight.item]);
}

void Ladder::settle(Item item, Reply const& reply) {
    if (reply.end == Reply::End::failed) set(item, State::failed);
    if (reply.end != Reply::End::feasible) return;
    front_.insert({reply.values, ids_[item]});
    check_bounds(item, reply.values);
}

void Ladder::settle_twin(Item item, Done const& done) {
    set(item, State::twin);
    twins_.emplace(item, done.item);
    settle(item, done.reply);
    if (states_[item] == State::failed) twins_.erase(item);
}

void Ladder::check_bounds(Item item, Values const& values) {
    auto const corner = corner_of(item);
    bool wrong = false;
    for (std::size_t i = 0; i < settings_.objectives; ++i) {
        if (values[i] >= corner[i]) continue;
        double const low = lows_[item * settings_.objectives + i];
        if ((calibrated_[item] >> i & 1) == 0) throw BrokenBound(ids_[item], i, low, values[i]);
        widen(i, low, values[i]);
        wrong = true;
    }
    if (!wrong) return;
    ++below_;
    open_again();
}

/// By twice as much as before at least, so that it happens seldom.
void Ladder::widen(std::size_t objective, double low, double value) {
    constexpr double more = 1.0 + 1e-12;
    double const needed = (low - value) / std::abs(low) * more;
    double& slack = slack_[objective];
    slack = std::max(needed, 2.0 * slack);
    if (!(widened(low, slack) <= value)) slack = std::numeric_limits<double>::infinity();
}

/// What rests on lows that were too high.
void Ladder::open_again() {
    for (Item item = 0; item < ids_.size(); ++item) {
        bool const lost = states_[item] == State::closed && !covered(item, corner_of(item));
        if (lost || states_[item] == State::waiting) set(item, State::ready);
    }
    for (auto& flight : flights_.all()) {
        flight.waiting.clear();
        flight.corner = corner_of(flight.item);
    }
    rank();
}

task::Standing Ladder::standing(std::vector<Values> others, bool all) const {
    std::erase_if(others, [&](Values const& low) { return front_.cover(low) != nullptr; });
    std::vector<Values> front;
    for (auto const& member : members()) front.push_back(member.values);
    auto const gap = gap_between(front, others, settings_.objectives);
    return {count(State::closed), count(State::flying), count(State::ready) + count(State::waiting) + failed_.size(),
            gap.share, gap.rough || !all};
}

std::vector<Entry> Ladder::members() const {
    auto all = front_.entries();
    std::ranges::sort(all, {}, &Entry::point);
    return all;
}

/// Members of the front that have answers of their own.
std::vector<Entry> Ladder::witnesses() const {
    auto all = members();
    for (auto& member : all) member.point = answered_for(member.point);
    std::ranges::sort(all, {}, &Entry::point);
    return all;
}

std::optional<task::PointId> Ladder::witness_of(task::PointId least, Values const& corner) const {
    auto const* member = front_.cover(corner);
    if (member == nullptr) return std::nullopt;
    auto const point = answered_for(member->point);
    bool const holds = covers(member->values, point, corner, least, settings_.objectives);
    return holds ? std::optional(point) : std::nullopt;
}

void Ladder::put_closed(Item item, task::PointId witness, task::Certificate& into) const {
    auto const corner = corner_of(item);
    into.closed.push_back(ids_[item]);
    into.witnesses.push_back(witness);
    for (std::size_t i = 0; i < settings_.objectives; ++i) {
        into.best[i].push_back(corner[i]);
        if ((calibrated_[item] >> i & 1) != 0) into.grounds[i].kind = models::Bound::calibrated;
    }
}

/// One that has no answer of its own.
void Ladder::put(Item item, std::span<Entry const> witnesses, task::Certificate& into) const {
    auto const twin = twins_.find(item);
    if (twin != twins_.end()) {
        into.twins.push_back(ids_[item]);
        into.representatives.push_back(ids_[twin->second]);
        return;
    }
    auto const corner = corner_of(item);
    auto const witness = std::ranges::find_if(witnesses, [&](Entry const& member) {
        return covers(member.values, member.point, corner, ids_[item], settings_.objectives);
    });
    if (states_[item] == State::failed || witness == witnesses.end())
        into.open.push_back(ids_[item]);
    else
        put_closed(item, witness->point, into);
}

task::Certificate Ladder::certificate() const {
    task::Certificate certificate;
    certificate.runs = runs_;
    certificate.below = below_;
    certificate.best.resize(settings_.objectives);
    for (std::size_t i = 0; i < settings_.objectives; ++i)
        certificate.grounds.push_back({models::Bound::proved, slack_[i]});
    auto const front = witnesses();
    for (Item item = 0; item < ids_.size(); ++item) {
        if (states_[item] != State::answered) put(item, front, certificate);
    }
    return certificate;
}

}  // namespace pimdse::dse::ladder
