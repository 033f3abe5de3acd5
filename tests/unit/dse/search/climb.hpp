#pragma once

#include "synthetic.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

/// Ladders over synthetic points, climbed to their end, and what must hold of every one.
namespace pimdse::dse::search::testing {

/// What a search asked for, in order.
using Log = std::vector<std::uint64_t>;

/// Of the points in flight, except equal-key points that are evaluated again in the end.
inline void expect_antichain(std::vector<space::PointId> const& in_flight, Synthetic const& truth) {
    for (auto const a : in_flight) {
        for (auto const b : in_flight) {
            bool as_good = a != b;
            for (std::size_t i = 0; i < truth.objectives; ++i)
                as_good = as_good && truth.ideals[index_of(a)].lower[i] <= truth.ideals[index_of(b)].lower[i];
            ASSERT_FALSE(as_good) << "a point is under way that another one under way may dominate";
        }
    }
}

/// Evaluates in an order that the seed decides, up to `lag` under way.
inline Log climb(BoundedSearch& bounded_search, Synthetic const& truth, std::uint64_t lag, std::uint64_t seed,
                 bool audits = false) {
    Log log;
    std::set<std::uint64_t> told;
    climb_to_the_end(
        bounded_search, truth, lag, seed, [&](space::PointId point) { log.push_back(index_of(point)); },
        [&](std::vector<space::PointId> const& in_flight) {
            bool const confirming = in_flight.empty() || told.contains(truth.keys[index_of(in_flight.front())]);
            if (!confirming && !audits) expect_antichain(in_flight, truth);
        },
        [&](space::PointId point) { told.insert(truth.keys[index_of(point)]); });
    return log;
}

inline BoundedSearch bounded_search_on(Synthetic const& truth, BoundedSearch::Settings settings) {
    settings.objectives = truth.objectives;
    BoundedSearch made(settings, [&truth](space::PointId point) { return truth.key(point); });
    for (std::uint64_t i = 0; i < truth.ideals.size(); ++i) made.add(space::PointId{i}, truth.ideals[i]);
    return made;
}

inline std::set<std::uint64_t> keys_of(Log const& log, Synthetic const& truth) {
    std::set<std::uint64_t> keys;
    for (auto const id : log) keys.insert(truth.keys[id]);
    return keys;
}

inline void expect_partition(search::Certificate const& certificate, Log const& log, std::uint64_t points) {
    std::vector<std::uint64_t> all = log;
    for (auto const* part : {&certificate.pruned, &certificate.equal_keys, &certificate.open}) {
        for (auto const id : *part) {
            if (std::ranges::find(log, index_of(id)) == log.end()) all.push_back(index_of(id));
        }
        EXPECT_TRUE(std::ranges::is_sorted(*part));
    }
    std::ranges::sort(all);
    std::vector<std::uint64_t> every(points);
    for (std::uint64_t i = 0; i < points; ++i) every[i] = i;
    EXPECT_EQ(all, every) << "a point is in one place";
}

inline void expect_dominated(search::Certificate const& certificate, Synthetic const& truth) {
    for (std::size_t c = 0; c < certificate.pruned.size(); ++c) {
        Values best{};
        for (std::size_t i = 0; i < truth.objectives; ++i) best[i] = certificate.best[i][c];
        best = relaxed(best, certificate.epsilon, truth.objectives);
        EXPECT_TRUE(truth.dominates(index_of(certificate.witnesses[c]), best, index_of(certificate.pruned[c])));
    }
    for (std::size_t t = 0; t < certificate.equal_keys.size(); ++t)
        EXPECT_EQ(truth.keys[index_of(certificate.equal_keys[t])],
                  truth.keys[index_of(certificate.representatives[t])]);
}

inline std::vector<Synthetic::Kind> kinds() {
    std::vector<Synthetic::Kind> all;
    for (std::size_t objectives = 1; objectives <= 6; ++objectives) {
        all.push_back({.objectives = objectives});
        all.push_back({.keys = 1000, .levels = 40, .loose = 20, .objectives = objectives});
        all.push_back({.keys = 12, .levels = 4, .loose = 3, .objectives = objectives, .surprises = true});
        all.push_back({.loose = 12, .objectives = objectives, .failures = true, .surprises = true, .infinities = true});
    }
    return all;
}

}  // namespace pimdse::dse::search::testing
