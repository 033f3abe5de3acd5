#include "climb.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::search {
namespace {

using namespace testing;

TEST(Ladder, with_an_epsilon_comes_as_near_to_every_point) {
    std::uint64_t seed = 0, exact = 0, near = 0;
    for (auto const& kind : kinds()) {
        for (double const epsilon : {0.01, 0.3}) {
            Synthetic const truth(kind, ++seed);
            auto all = truth.ladder();
            exact += climb(all, truth, 3, seed).size();
            auto ladder = ladder_on(truth, {.epsilon = epsilon});
            auto const log = climb(ladder, truth, 3, seed);
            near += log.size();
            auto const certificate = ladder.certificate();
            expect_partition(certificate, log, kind.points);
            expect_covered(certificate, truth);
            for (std::uint64_t id = 0; id < kind.points; ++id) {
                auto const reach = relaxed(truth.reply(id).values, epsilon, kind.objectives);
                auto const members = ids_of(ladder);
                bool const is_member = std::ranges::find(members, id) != members.end();
                EXPECT_TRUE(!truth.feasible(id) || is_member || truth.covered_by(members, reach, id))
                    << "seed " << seed;
            }
        }
    }
    EXPECT_LT(near, exact) << "that is what it is for";
}

TEST(Ladder, audits_closed_points_and_finds_the_same_front) {
    std::uint64_t seed = 0;
    for (auto const& kind : kinds()) {
        for (std::uint64_t const wanted : {1U, 10U, 1000U}) {
            Synthetic const truth(kind, ++seed);
            auto unaudited = truth.ladder();
            (void)climb(unaudited, truth, 3, seed);
            auto const closed = unaudited.standing().closed;
            auto ladder = ladder_on(truth, {.audit = wanted, .seed = seed});
            auto const log = climb(ladder, truth, 3, seed, true);
            auto const certificate = ladder.certificate();
            EXPECT_EQ(ids_of(ladder), truth.front());
            EXPECT_EQ(certificate.audited, std::min(wanted, closed)) << "seed " << seed;
            EXPECT_EQ(certificate.audited_wrong, 0U);
            expect_partition(certificate, log, kind.points);
            expect_covered(certificate, truth);
        }
    }
}

TEST(Ladder, finds_by_an_audit_that_calibrated_lows_closed_what_belongs_on_the_front) {
    std::uint64_t wrong = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Synthetic truth({.points = 150, .keys = 1000, .levels = 1000, .loose = 20}, seed);
        for (std::uint64_t id = 0; id < 150; ++id) {
            for (std::size_t i = 0; i < 2; ++i) {
                truth.ideals[id].calibrated |= static_cast<std::uint8_t>(1U << i);
                if (id % 3 == 0) truth.ideals[id].low[i] = 2000.0;  // far too high: closed by anything
            }
        }
        auto ladder = ladder_on(truth, {.audit = 150, .seed = seed});
        (void)climb(ladder, truth, 4, seed, true);
        EXPECT_EQ(ids_of(ladder), truth.front()) << "everything was audited";
        wrong += ladder.certificate().audited_wrong;
    }
    EXPECT_GT(wrong, 5U) << "this test should see some";
}

/// By definition: keys that nobody answered, of points that nobody on the front covers if lows are so much lower.
std::uint64_t sensitivity(Synthetic const& truth, std::vector<std::uint64_t> const& members, Log const& log,
                          double share) {
    std::set<std::uint64_t> keys;
    auto const answered = keys_of(log, truth);
    for (std::uint64_t id = 0; id < truth.keys.size(); ++id) {
        auto low = truth.ideals[id].low;
        for (std::size_t i = 0; i < truth.objectives; ++i) {
            if ((truth.ideals[id].exact >> i & 1) == 0) low[i] -= share * std::abs(low[i]);
        }
        if (!answered.contains(truth.keys[id]) && !truth.covered_by(members, low, id)) keys.insert(truth.keys[id]);
    }
    return keys.size();
}

TEST(Ladder, says_what_lower_bounds_would_have_cost) {
    std::uint64_t more = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Synthetic truth({.points = 200, .keys = 1000, .levels = 400, .loose = 30}, seed);
        for (std::uint64_t id = 0; id < 200; id += 2) truth.ideals[id].exact = 2;
        auto unaudited = truth.ladder();
        auto const log = climb(unaudited, truth, 4, seed);
        auto ladder = ladder_on(truth, {.audit = 1 + 20 * (seed % 2), .seed = seed});
        (void)climb(ladder, truth, 4, seed, true);
        auto const sensitivities = ladder.certificate().sensitivities;
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
}  // namespace pimdse::dse::search
