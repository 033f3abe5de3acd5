#include "climb.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::search::audit_test {
namespace {

using testing::bounded_search_on;
using testing::climb;
using testing::expect_dominated;
using testing::expect_partition;
using testing::ids_of;
using testing::keys_of;
using testing::kinds;
using testing::Log;
using testing::Synthetic;

TEST(BoundedSearch, with_an_epsilon_comes_as_near_to_every_point) {
    std::uint64_t seed = 0, exact = 0, near = 0;
    for (auto const& kind : kinds()) {
        for (double const epsilon : {0.01, 0.3}) {
            Synthetic const truth(kind, ++seed);
            auto all = truth.bounded_search();
            exact += climb(all, truth, 3, seed).size();
            auto bounded_search = bounded_search_on(truth, {.epsilon = epsilon});
            auto const log = climb(bounded_search, truth, 3, seed);
            near += log.size();
            auto const certificate = bounded_search.certificate();
            expect_partition(certificate, log, kind.points);
            expect_dominated(certificate, truth);
            for (std::uint64_t id = 0; id < kind.points; ++id) {
                auto const reach = relaxed(truth.reply(id).values, epsilon, kind.objectives);
                auto const members = ids_of(bounded_search);
                bool const is_member = std::ranges::find(members, id) != members.end();
                EXPECT_TRUE(!truth.feasible(id) || is_member || truth.dominated_by(members, reach, id))
                    << "seed " << seed;
            }
        }
    }
    EXPECT_LT(near, exact) << "that is what it is for";
}

TEST(BoundedSearch, audits_pruned_points_and_finds_the_same_front) {
    std::uint64_t seed = 0;
    for (auto const& kind : kinds()) {
        for (std::uint64_t const wanted : {1U, 10U, 1000U}) {
            Synthetic const truth(kind, ++seed);
            auto unaudited = truth.bounded_search();
            (void)climb(unaudited, truth, 3, seed);
            auto const pruned = unaudited.standing().pruned;
            auto bounded_search = bounded_search_on(truth, {.audit = wanted, .seed = seed});
            auto const log = climb(bounded_search, truth, 3, seed, true);
            auto const certificate = bounded_search.certificate();
            EXPECT_EQ(ids_of(bounded_search), truth.front());
            EXPECT_EQ(certificate.audited, std::min(wanted, pruned)) << "seed " << seed;
            EXPECT_EQ(certificate.audited_wrong, 0U);
            expect_partition(certificate, log, kind.points);
            expect_dominated(certificate, truth);
        }
    }
}

TEST(BoundedSearch, finds_by_an_audit_that_calibrated_bounds_pruned_what_belongs_on_the_front) {
    std::uint64_t wrong = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Synthetic truth({.points = 150, .keys = 1000, .levels = 1000, .loose = 20}, seed);
        for (std::uint64_t id = 0; id < 150; ++id) {
            for (std::size_t i = 0; i < 2; ++i) {
                truth.ideals[id].calibrated |= static_cast<std::uint8_t>(1U << i);
                if (id % 3 == 0) truth.ideals[id].lower[i] = 2000.0;  // far too high: pruned by anything
            }
        }
        auto bounded_search = bounded_search_on(truth, {.audit = 150, .seed = seed});
        (void)climb(bounded_search, truth, 4, seed, true);
        EXPECT_EQ(ids_of(bounded_search), truth.front()) << "everything was audited";
        wrong += bounded_search.certificate().audited_wrong;
    }
    EXPECT_GT(wrong, 5U) << "this test should see some";
}

/// By definition: keys without a result, of points that no member of the front dominates if lower bounds are that much
/// lower.
std::uint64_t sensitivity(Synthetic const& truth, std::vector<std::uint64_t> const& members, Log const& log,
                          double share) {
    std::set<std::uint64_t> keys;
    auto const evaluated = keys_of(log, truth);
    for (std::uint64_t id = 0; id < truth.keys.size(); ++id) {
        auto lower = truth.ideals[id].lower;
        for (std::size_t i = 0; i < truth.objectives; ++i) {
            if ((truth.ideals[id].exact >> i & 1) == 0) lower[i] -= share * std::abs(lower[i]);
        }
        if (!evaluated.contains(truth.keys[id]) && !truth.dominated_by(members, lower, id)) keys.insert(truth.keys[id]);
    }
    return keys.size();
}

TEST(BoundedSearch, says_what_lower_bounds_would_have_cost) {
    std::uint64_t more = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Synthetic truth({.points = 200, .keys = 1000, .levels = 400, .loose = 30}, seed);
        for (std::uint64_t id = 0; id < 200; id += 2) truth.ideals[id].exact = 2;
        auto unaudited = truth.bounded_search();
        auto const log = climb(unaudited, truth, 4, seed);
        auto bounded_search = bounded_search_on(truth, {.audit = 1 + 20 * (seed % 2), .seed = seed});
        (void)climb(bounded_search, truth, 4, seed, true);
        auto const sensitivities = bounded_search.certificate().sensitivities;
        ASSERT_EQ(sensitivities.size(), 4U);
        for (auto const& found : sensitivities) {
            EXPECT_EQ(found.runs, sensitivity(truth, truth.front(), log, found.share)) << "seed " << seed;
            more += found.runs;
        }
        EXPECT_EQ(sensitivities[0].share, 0.01);
        EXPECT_EQ(sensitivities[3].share, 0.10);
    }
    EXPECT_GT(more, 40U);
}

}  // namespace
}  // namespace pimdse::dse::search::audit_test
