#include "dse/search/ladder.hpp"
#include "climb.hpp"
#include "dse/search/gap.hpp"
#include "dse/search/ideal_point.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace pimdse::dse::search {
namespace {

using namespace testing;

TEST(Ladder, finds_the_front_and_answers_what_any_method_must_in_every_order) {
    std::uint64_t seed = 0;
    for (auto const& kind : kinds()) {
        for (int space = 0; space < 12; ++space) {
            Synthetic const truth(kind, ++seed);
            auto const front = truth.front();
            auto const needed = truth.needed_keys();
            for (std::uint64_t order = 0; order < 12; ++order) {
                auto ladder = truth.ladder();
                auto const log = climb(ladder, truth, order == 0 ? 1 : 1 + order * order, seed * 100 + order);
                ASSERT_EQ(ids_of(ladder), front);
                ASSERT_EQ(keys_of(log, truth), needed) << "neither more nor less";
                auto const certificate = ladder.certificate();
                EXPECT_EQ(certificate.runs, log.size());
                expect_partition(certificate, log, kind.points);
                expect_covered(certificate, truth);
                ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", order " << order;
            }
        }
    }
}

/// Of what may still come, by definition.
std::vector<Values> still_possible(Synthetic const& truth, std::set<std::uint64_t> const& told,
                                   std::vector<Values> const& front) {
    std::vector<Values> lows;
    for (std::uint64_t id = 0; id < truth.keys.size(); ++id) {
        auto const& low = truth.ideals[id].low;
        bool const known = told.contains(truth.keys[id]) && truth.reply(id).end != Reply::End::failed;
        bool const covered = std::ranges::any_of(front, [&](Values const& member) {
            return std::ranges::equal(std::span(member).first(truth.objectives), std::span(low).first(truth.objectives),
                                      std::less_equal<>());
        });
        if (!known && !covered) lows.push_back(low);
    }
    return lows;
}

/// The ladder does not know that a point is a twin before it looks at it.
bool has_untold_twins(Synthetic const& truth, std::set<std::uint64_t> const& told,
                      std::set<std::uint64_t> const& asked) {
    for (std::uint64_t id = 0; id < truth.keys.size(); ++id) {
        if (told.contains(truth.keys[id]) && !asked.contains(id)) return true;
    }
    return false;
}

TEST(Ladder, says_where_it_stands_after_every_answer) {
    std::uint64_t seed = 0, compared = 0;
    for (auto const& kind : kinds()) {
        Synthetic const truth(kind, ++seed);
        auto ladder = truth.ladder();
        std::set<std::uint64_t> told, asked;
        std::uint64_t closed = 0;
        EXPECT_EQ(ladder.standing().open, kind.points);
        EXPECT_TRUE(std::isnan(ladder.standing().gap)) << "nothing was looked at";
        std::vector<space::PointId> flying;
        for (Rng rng(seed);;) {
            for (auto const point : ladder.ask(4 - flying.size())) {
                flying.push_back(point);
                asked.insert(index_of(point));
            }
            auto const now = ladder.standing();
            EXPECT_EQ(now.flying, flying.size());
            EXPECT_GE(now.closed, closed);
            EXPECT_LE(now.closed + now.flying + now.open, kind.points);
            std::vector<Values> front;
            for (auto const& member : ladder.members()) front.push_back(member.values);
            auto const gap = gap_between(front, still_possible(truth, told, front), kind.objectives);
            EXPECT_EQ(now.gap_is_rough, gap.rough);
            bool const unseen = has_untold_twins(truth, told, asked);
            compared += unseen ? 0 : 1;
            if (!gap.rough && !unseen) {
                EXPECT_NEAR(now.gap, gap.share, 1e-9) << "seed " << seed;
            }
            closed = now.closed;
            if (flying.empty()) break;
            auto const pick = flying.begin() + static_cast<std::ptrdiff_t>(rng.below(flying.size()));
            auto const point = *pick;
            flying.erase(pick);
            told.insert(truth.keys[index_of(point)]);
            ladder.tell(point, truth.reply(index_of(point)));
        }
        auto const certificate = ladder.certificate();
        if (!kind.failures) {
            EXPECT_EQ(ladder.standing().closed, certificate.closed.size());
        }
        if (!kind.failures) {
            EXPECT_EQ(ladder.standing().gap, 0.0);
        }
        EXPECT_GE(ladder.standing().open, certificate.open.size()) << "of those that failed, some are covered later";
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
    EXPECT_GE(compared, 50U) << "this test should see some";
}

TEST(Ladder, asks_for_equal_keys_once_unless_the_front_needs_an_answer_of_its_own) {
    std::uint64_t confirmed = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Synthetic const truth({.points = 80, .keys = 15, .loose = 6}, seed);
        auto ladder = truth.ladder();
        auto const log = climb(ladder, truth, 5, seed);
        auto const extra = log.size() - keys_of(log, truth).size();
        confirmed += extra;
        EXPECT_LE(extra, truth.front().size());
        for (auto const member : truth.front()) EXPECT_TRUE(std::ranges::find(log, member) != log.end());
    }
    EXPECT_GT(confirmed, 0U) << "this test should see some";
}

TEST(Ladder, says_what_is_open_where_points_fail) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Synthetic const truth({.failures = true}, seed);
        auto ladder = truth.ladder();
        (void)climb(ladder, truth, 4, seed);
        auto const certificate = ladder.certificate();
        for (auto const id : certificate.open) EXPECT_EQ(truth.reply(index_of(id)).end, Reply::End::failed);
        std::uint64_t failed = 0;
        for (std::uint64_t id = 0; id < 60; ++id) {
            failed +=
                truth.reply(id).end == Reply::End::failed && !truth.covered_by(truth.front(), truth.ideals[id].low, id);
        }
        EXPECT_EQ(certificate.open.size(), failed);
    }
}

TEST(Ladder, stops_at_its_budget_with_points_that_are_open) {
    Synthetic const truth({.points = 200, .keys = 1000, .levels = 100, .loose = 40}, 3);
    auto ladder = truth.ladder(7);
    auto const log = climb(ladder, truth, 3, 1);
    EXPECT_EQ(log.size(), 7U);
    auto const certificate = ladder.certificate();
    EXPECT_FALSE(certificate.open.empty());
    expect_partition(certificate, log, 200);
    expect_covered(certificate, truth);
}

TEST(Ladder, catches_a_low_that_was_said_to_be_proved) {
    int caught = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Synthetic truth({.points = 100, .keys = 1000, .levels = 1000, .loose = 100}, seed);
        auto const liar = truth.front().front();
        truth.ideals[liar].low[0] = truth.reply(liar).values[0] + 1e-6;
        auto ladder = truth.ladder();
        try {
            (void)climb(ladder, truth, 4, seed);
        } catch (BrokenBound const& broken) {
            EXPECT_EQ(index_of(broken.point), liar);
            EXPECT_EQ(broken.objective, 0U);
            ++caught;
        }
    }
    EXPECT_EQ(caught, 100);
}

TEST(Ladder, catches_a_key_that_two_answers_share) {
    Ladder ladder({.objectives = 1}, [](space::PointId) { return models::CycleKey{1, 1}; });
    IdealPoint ideal;
    ideal.low[0] = 3.0;
    ladder.add(space::PointId{4}, ideal);
    ideal.low[0] = 1.0;
    ladder.add(space::PointId{9}, ideal);
    ASSERT_EQ(ladder.ask(5), std::vector{space::PointId{9}});
    ladder.tell(space::PointId{9}, {Reply::End::feasible, {5.0}});
    ASSERT_EQ(ladder.ask(5), std::vector{space::PointId{4}}) << "the smaller id is the one on the front";
    EXPECT_THROW(ladder.tell(space::PointId{4}, {Reply::End::feasible, {6.0}}), BrokenKey);
}

/// Two points of one key, of which the second is no better than the first by its bounds; answered by `value`.
Ladder two_of_a_key(Ladder::Settings settings, double second, Ladder::DifferenceOf difference = {}) {
    settings.objectives = 1;
    Ladder ladder(
        settings,
        [](space::PointId) {
            return models::CycleKey{1, 1};
        },
        std::move(difference));
    IdealPoint ideal;
    ideal.low[0] = 1.0;
    ladder.add(space::PointId{4}, ideal);
    ideal.low[0] = second;
    ladder.add(space::PointId{9}, ideal);
    EXPECT_EQ(ladder.ask(1), std::vector{space::PointId{4}});
    ladder.tell(space::PointId{4}, {Reply::End::feasible, {5.0}});
    return ladder;
}

TEST(Ladder, audits_twins_and_closed_points_whose_key_has_a_result) {
    for (double const second : {2.0, 7.0}) {  // a twin; closed
        for (double const found : {5.0, 8.0}) {
            auto ladder = two_of_a_key({.audit = 1}, second);
            ASSERT_EQ(ladder.ask(1), std::vector{space::PointId{9}}) << "it is simulated although its key has a result";
            EXPECT_EQ(ladder.certificate().audited_twins, 0U);
            Reply const reply{Reply::End::feasible, {found}};
            if (found == 5.0 && second == 2.0) {
                ladder.tell(space::PointId{9}, reply);
                EXPECT_EQ(ladder.certificate().audited_twins, 1U);
                EXPECT_EQ(ladder.certificate().audited, 0U);
            } else {
                EXPECT_ANY_THROW(ladder.tell(space::PointId{9}, reply));
            }
        }
    }
}

TEST(Ladder, takes_no_result_for_a_twin_whose_bounds_exclude_it) {
    auto above = two_of_a_key({}, 5.0 - 1e-9);
    EXPECT_TRUE(above.ask(1).empty());
    EXPECT_EQ(above.certificate().twins, std::vector{space::PointId{9}});
    auto other = two_of_a_key({}, 2.0, [](space::PointId a, space::PointId b) {
        return std::optional(fmt::format("{}|{}", index_of(a), index_of(b)));
    });
    try {
        (void)other.ask(1);
        FAIL() << "a difference of coarse evaluations";
    } catch (BrokenKey const& broken) {
        EXPECT_NE(std::string(broken.what()).find("4|9"), std::string::npos) << broken.what();
    }
}

TEST(Ladder, leaves_a_twin_open_that_fails_in_an_audit) {
    auto ladder = two_of_a_key({.audit = 1}, 2.0);
    ASSERT_EQ(ladder.ask(1), std::vector{space::PointId{9}});
    ladder.tell(space::PointId{9}, {Reply::End::failed, {}});
    EXPECT_EQ(ladder.certificate().open, std::vector{space::PointId{9}});
    EXPECT_TRUE(ladder.certificate().twins.empty());
}

TEST(Ladder, widens_calibrated_lows_that_an_answer_is_below) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Synthetic truth({.points = 150, .keys = 1000, .levels = 1000, .loose = 200}, seed);
        for (auto& reply : truth.replies) reply.values[0] = std::abs(reply.values[0]) + 1.0;
        for (std::uint64_t id = 0; id < 150; ++id) {
            truth.ideals[id].low[0] = 1.1 * truth.reply(id).values[0];
            truth.ideals[id].calibrated = 1;
        }
        auto ladder = truth.ladder();
        (void)climb(ladder, truth, 4, seed);
        EXPECT_EQ(ids_of(ladder), truth.front()) << "they are all wrong by as much";
        auto const certificate = ladder.certificate();
        EXPECT_GT(certificate.below, 0U);
        EXPECT_GT(certificate.grounds[0].slack, 0.09);
        EXPECT_EQ(certificate.grounds[0].kind,
                  certificate.closed.empty() ? models::Bound::proved : models::Bound::calibrated);
        EXPECT_EQ(certificate.grounds[1].kind, models::Bound::proved);
        EXPECT_EQ(certificate.grounds[1].slack, 0.0);
    }
}

TEST(Ladder, of_no_points_asks_for_nothing) {
    Ladder ladder({.objectives = 3}, [](space::PointId) { return models::CycleKey{}; });
    EXPECT_TRUE(ladder.ask(9).empty());
    EXPECT_TRUE(ladder.members().empty());
    EXPECT_TRUE(ladder.certificate().closed.empty());
}

}  // namespace
}  // namespace pimdse::dse::search
