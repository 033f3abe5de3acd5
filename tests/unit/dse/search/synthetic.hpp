#pragma once

#include "dse/search/bounded_search.hpp"
#include "sim/base/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace pimdse::dse::search::testing {

/// Bits from a seed, one after the other.
class Rng {
  public:
    explicit Rng(std::uint64_t seed) : seed_(sim::mixed_bits(seed + 1)) {}
    std::uint64_t below(std::uint64_t limit) { return sim::mixed_bits(seed_ + sim::golden_step * ++count_) % limit; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }

  private:
    std::uint64_t seed_, count_ = 0;
};

/// Points with results that are known, and what follows from them by definition; points of one key have one result.
struct Truth {
    explicit Truth(std::size_t count) : objectives(count) {}

    Reply const& reply(std::uint64_t id) const { return replies[keys[id]]; }
    bool feasible(std::uint64_t id) const { return !refused[id] && reply(id).end == Reply::End::feasible; }
    bool dominates(std::uint64_t a, Values const& x, std::uint64_t id) const {
        auto const& mine = reply(a).values;
        bool equal = true;
        for (std::size_t i = 0; i < objectives; ++i) {
            if (mine[i] > x[i]) return false;
            equal = equal && mine[i] == x[i];
        }
        return !equal || a < id;
    }
    bool dominated_by(std::vector<std::uint64_t> const& some, Values const& x, std::uint64_t id) const {
        return std::ranges::any_of(some, [&](auto a) { return feasible(a) && dominates(a, x, id); });
    }
    std::vector<std::uint64_t> front() const {
        std::vector<std::uint64_t> all, members;
        for (std::uint64_t i = 0; i < keys.size(); ++i) all.push_back(i);
        for (auto const i : all) {
            if (feasible(i) && !dominated_by(all, reply(i).values, i)) members.push_back(i);
        }
        return members;
    }
    /// Keys of points whose ideal points no member of the front dominates: what any method must evaluate.
    std::set<std::uint64_t> needed_keys() const {
        auto const members = front();
        std::set<std::uint64_t> needed;
        for (std::uint64_t i = 0; i < keys.size(); ++i) {
            if (!refused[i] && !dominated_by(members, ideals[i].lower, i)) needed.insert(keys[i]);
        }
        return needed;
    }

    std::size_t objectives;
    std::vector<Reply> replies;  ///< by key
    std::vector<std::uint64_t> keys;
    std::vector<bool> refused;  ///< by the analytic level
    std::vector<IdealPoint> ideals;
};

/// Evaluates what a search asks for in an order that the seed decides, with up to `lag` points in flight, to its end.
/// asked(point): of each point; look(points): of those in flight, before each result; told(point): after it is chosen.
template <class Search, class Asked, class Look, class Told>
void climb_to_the_end(Search& search, Truth const& truth, std::uint64_t lag, std::uint64_t seed, Asked const& asked,
                      Look const& look, Told const& told) {
    Rng rng(seed);
    std::vector<space::PointId> in_flight;
    while (true) {
        for (auto const point : search.ask(lag - in_flight.size())) {
            in_flight.push_back(point);
            asked(point);
        }
        look(in_flight);
        if constexpr (requires { search.waits(); })
            if (in_flight.empty() && search.waits()) continue;
        if (in_flight.empty()) return;
        auto const pick = in_flight.begin() + static_cast<std::ptrdiff_t>(rng.below(in_flight.size()));
        auto const point = *pick;
        in_flight.erase(pick);
        told(point);
        search.tell(point, truth.reply(index_of(point)));
    }
}

/// The members of the front that a search has found.
template <class Search>
std::vector<std::uint64_t> ids_of(Search const& search) {
    std::vector<std::uint64_t> ids;
    for (auto const& member : search.members()) ids.push_back(index_of(member.point));
    return ids;
}

/// Points of few different numbers, so that ties, duplicates and equal ideal points abound.
struct Synthetic : Truth {
    struct Kind {
        std::uint64_t points = 60, keys = 40, levels = 8, loose = 4;
        std::size_t objectives = 2;
        bool failures = false, surprises = false, infinities = false;
    };
    Synthetic(Kind const& kind, std::uint64_t seed) : Truth(kind.objectives) {
        Rng rng(seed);
        for (std::uint64_t k = 0; k < kind.keys; ++k) replies.push_back(a_reply(kind, rng));
        for (std::uint64_t i = 0; i < kind.points; ++i) {
            keys.push_back(rng.below(kind.keys));
            ideals.push_back(a_ideal_point(kind, replies[keys.back()], rng));
        }
        refused.assign(kind.points, false);
    }

    models::CycleKey key(space::PointId point) const { return {7, keys[index_of(point)]}; }
    BoundedSearch bounded_search(std::uint64_t max_runs = 0) const {
        BoundedSearch made({objectives, max_runs}, [this](space::PointId point) { return key(point); });
        for (std::uint64_t i = 0; i < ideals.size(); ++i) made.add(space::PointId{i}, ideals[i]);
        return made;
    }

  private:
    static Reply a_reply(Kind const& kind, Rng& rng) {
        Reply reply;
        if (kind.surprises && rng.one_in(6)) reply.end = Reply::End::infeasible;
        if (kind.failures && rng.one_in(9)) reply.end = Reply::End::failed;
        if (reply.end != Reply::End::feasible) return reply;
        for (std::size_t i = 0; i < kind.objectives; ++i) {
            reply.values[i] = static_cast<double>(rng.below(kind.levels)) - static_cast<double>(kind.levels / 4);
            if (kind.infinities && rng.one_in(25)) reply.values[i] = std::numeric_limits<double>::infinity();
        }
        return reply;
    }
    static IdealPoint a_ideal_point(Kind const& kind, Reply const& reply, Rng& rng) {
        IdealPoint ideal;
        for (std::size_t i = 0; i < kind.objectives; ++i) {
            double const real =
                reply.end == Reply::End::feasible ? reply.values[i] : static_cast<double>(rng.below(kind.levels));
            ideal.lower[i] = std::min(real, 1e6) - static_cast<double>(rng.one_in(3) ? 0 : rng.below(kind.loose));
            if (kind.infinities && rng.one_in(40)) ideal.lower[i] = -std::numeric_limits<double>::infinity();
            if (kind.infinities && std::isinf(real) && rng.one_in(2)) ideal.lower[i] = real;
        }
        return ideal;
    }
};

}  // namespace pimdse::dse::search::testing
