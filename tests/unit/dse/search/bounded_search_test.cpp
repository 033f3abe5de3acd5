#include "dse/search/bounded_search.hpp"
#include "climb.hpp"
#include "dse/search/gap.hpp"
#include "dse/search/ideal_point.hpp"
#include "tests/unit/refused.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace pimdse::dse::search::bounded_search_test {
namespace {

using testing::climb;
using testing::expect_dominated;
using testing::expect_partition;
using testing::ids_of;
using testing::keys_of;
using testing::kinds;
using testing::Synthetic;

TEST(BoundedSearch, finds_the_front_and_evaluates_what_any_method_must_in_every_order) {
    std::uint64_t seed = 0;
    for (auto const& kind : kinds()) {
        for (int space = 0; space < 12; ++space) {
            Synthetic const truth(kind, ++seed);
            auto const front = truth.front();
            auto const needed = truth.needed_keys();
            for (std::uint64_t order = 0; order < 12; ++order) {
                auto bounded_search = truth.bounded_search();
                auto const log = climb(bounded_search, truth, order == 0 ? 1 : 1 + order * order, seed * 100 + order);
                ASSERT_EQ(ids_of(bounded_search), front);
                ASSERT_EQ(keys_of(log, truth), needed) << "neither more nor less";
                auto const certificate = bounded_search.certificate();
                EXPECT_EQ(certificate.runs, log.size());
                expect_partition(certificate, log, kind.points);
                expect_dominated(certificate, truth);
                ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", order " << order;
            }
        }
    }
}

/// Of what may still come, by definition.
std::vector<Values> still_possible(Synthetic const& truth, std::set<std::uint64_t> const& told,
                                   std::vector<Values> const& front) {
    std::vector<Values> lower_bounds;
    for (std::uint64_t id = 0; id < truth.keys.size(); ++id) {
        auto const& lower = truth.ideals[id].lower;
        bool const known = told.contains(truth.keys[id]) && truth.reply(id).end != Reply::End::failed;
        bool const dominated = std::ranges::any_of(front, [&](Values const& member) {
            return std::ranges::equal(std::span(member).first(truth.objectives),
                                      std::span(lower).first(truth.objectives), std::less_equal<>());
        });
        if (!known && !dominated) lower_bounds.push_back(lower);
    }
    return lower_bounds;
}

/// The search does not know that a point has the key of another before it looks at it.
bool has_untold_equal_keys(Synthetic const& truth, std::set<std::uint64_t> const& told,
                           std::set<std::uint64_t> const& requested) {
    for (std::uint64_t id = 0; id < truth.keys.size(); ++id) {
        if (told.contains(truth.keys[id]) && !requested.contains(id)) return true;
    }
    return false;
}

TEST(BoundedSearch, says_where_it_stands_after_every_result) {
    std::uint64_t seed = 0, compared = 0;
    for (auto const& kind : kinds()) {
        Synthetic const truth(kind, ++seed);
        auto bounded_search = truth.bounded_search();
        std::set<std::uint64_t> told, requested;
        std::uint64_t pruned = 0;
        EXPECT_EQ(bounded_search.standing().open, kind.points);
        EXPECT_TRUE(std::isnan(bounded_search.standing().gap)) << "nothing was looked at";
        auto const look = [&](std::vector<space::PointId> const& in_flight) {
            auto const now = bounded_search.standing();
            EXPECT_EQ(now.in_flight, in_flight.size());
            EXPECT_GE(now.pruned, pruned);
            EXPECT_LE(now.pruned + now.in_flight + now.open, kind.points);
            std::vector<Values> front;
            for (auto const& member : bounded_search.members()) front.push_back(member.values);
            auto const gap = gap_between(front, still_possible(truth, told, front), kind.objectives);
            EXPECT_EQ(now.gap_is_rough, gap.rough);
            bool const unseen = has_untold_equal_keys(truth, told, requested);
            compared += unseen ? 0 : 1;
            if (!gap.rough && !unseen) {
                EXPECT_NEAR(now.gap, gap.share, 1e-9) << "seed " << seed;
            }
            pruned = now.pruned;
        };
        testing::climb_to_the_end(
            bounded_search, truth, 4, seed, [&](space::PointId point) { requested.insert(index_of(point)); }, look,
            [&](space::PointId point) { told.insert(truth.keys[index_of(point)]); });
        auto const certificate = bounded_search.certificate();
        if (!kind.failures) {
            EXPECT_EQ(bounded_search.standing().pruned, certificate.pruned.size());
            EXPECT_EQ(bounded_search.standing().gap, 0.0);
        }
        EXPECT_GE(bounded_search.standing().open, certificate.open.size())
            << "of those that failed, some are dominated later";
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
    EXPECT_GE(compared, 50U) << "this test should see some";
}

TEST(BoundedSearch, asks_for_equal_keys_once_unless_the_front_needs_a_result_of_its_own) {
    std::uint64_t confirmed = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Synthetic const truth({.points = 80, .keys = 15, .loose = 6}, seed);
        auto bounded_search = truth.bounded_search();
        auto const log = climb(bounded_search, truth, 5, seed);
        auto const extra = log.size() - keys_of(log, truth).size();
        confirmed += extra;
        EXPECT_LE(extra, truth.front().size());
        for (auto const member : truth.front()) EXPECT_TRUE(std::ranges::find(log, member) != log.end());
    }
    EXPECT_GT(confirmed, 0U) << "this test should see some";
}

TEST(BoundedSearch, says_what_is_open_where_points_fail) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Synthetic const truth({.failures = true}, seed);
        auto bounded_search = truth.bounded_search();
        (void)climb(bounded_search, truth, 4, seed);
        auto const certificate = bounded_search.certificate();
        for (auto const id : certificate.open) EXPECT_EQ(truth.reply(index_of(id)).end, Reply::End::failed);
        std::uint64_t failed = 0;
        for (std::uint64_t id = 0; id < 60; ++id) {
            failed += truth.reply(id).end == Reply::End::failed &&
                      !truth.dominated_by(truth.front(), truth.ideals[id].lower, id);
        }
        EXPECT_EQ(certificate.open.size(), failed);
    }
}

TEST(BoundedSearch, stops_at_its_budget_with_points_that_are_open) {
    Synthetic const truth({.points = 200, .keys = 1000, .levels = 100, .loose = 40}, 3);
    auto bounded_search = truth.bounded_search(7);
    auto const log = climb(bounded_search, truth, 3, 1);
    EXPECT_EQ(log.size(), 7U);
    auto const certificate = bounded_search.certificate();
    EXPECT_FALSE(certificate.open.empty());
    expect_partition(certificate, log, 200);
    expect_dominated(certificate, truth);
}

TEST(BoundedSearch, catches_a_lower_bound_that_was_said_to_be_proved) {
    int caught = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Synthetic truth({.points = 100, .keys = 1000, .levels = 1000, .loose = 100}, seed);
        auto const liar = truth.front().front();
        truth.ideals[liar].lower[0] = truth.reply(liar).values[0] + 1e-6;
        auto bounded_search = truth.bounded_search();
        try {
            (void)climb(bounded_search, truth, 4, seed);
        } catch (BrokenBound const& broken) {
            EXPECT_EQ(index_of(broken.point), liar);
            EXPECT_EQ(broken.objective, 0U);
            ++caught;
        }
    }
    EXPECT_EQ(caught, 100);
}

TEST(BoundedSearch, catches_a_key_that_two_results_share) {
    BoundedSearch bounded_search({.objectives = 1}, [](space::PointId) { return models::CycleKey{1, 1}; });
    IdealPoint ideal;
    ideal.lower[0] = 3.0;
    bounded_search.add(space::PointId{4}, ideal);
    ideal.lower[0] = 1.0;
    bounded_search.add(space::PointId{9}, ideal);
    ASSERT_EQ(bounded_search.ask(5), std::vector{space::PointId{9}});
    bounded_search.tell(space::PointId{9}, {Reply::End::feasible, {5.0}});
    ASSERT_EQ(bounded_search.ask(5), std::vector{space::PointId{4}}) << "the smaller id is the one on the front";
    EXPECT_THROW(bounded_search.tell(space::PointId{4}, {Reply::End::feasible, {6.0}}), BrokenKey);
}

/// Two points of one key, of which the second is no better than the first by its bounds; evaluated by `value`.
BoundedSearch two_of_a_key(BoundedSearch::Settings settings, double second,
                           BoundedSearch::DifferenceOf difference = {}) {
    settings.objectives = 1;
    BoundedSearch bounded_search(
        settings,
        [](space::PointId) {
            return models::CycleKey{1, 1};
        },
        std::move(difference));
    IdealPoint ideal;
    ideal.lower[0] = 1.0;
    bounded_search.add(space::PointId{4}, ideal);
    ideal.lower[0] = second;
    bounded_search.add(space::PointId{9}, ideal);
    EXPECT_EQ(bounded_search.ask(1), std::vector{space::PointId{4}});
    bounded_search.tell(space::PointId{4}, {Reply::End::feasible, {5.0}});
    return bounded_search;
}

TEST(BoundedSearch, audits_equal_keys_and_pruned_points_whose_key_has_a_result) {
    for (double const second : {2.0, 7.0}) {  // equal key; pruned
        for (double const found : {5.0, 8.0}) {
            auto bounded_search = two_of_a_key({.audit = 1}, second);
            ASSERT_EQ(bounded_search.ask(1), std::vector{space::PointId{9}})
                << "it is simulated although its key has a result";
            EXPECT_EQ(bounded_search.certificate().audited_equal_keys, 0U);
            Reply const reply{Reply::End::feasible, {found}};
            if (found == 5.0 && second == 2.0) {
                bounded_search.tell(space::PointId{9}, reply);
                EXPECT_EQ(bounded_search.certificate().audited_equal_keys, 1U);
                EXPECT_EQ(bounded_search.certificate().audited, 0U);
            } else {
                EXPECT_ANY_THROW(bounded_search.tell(space::PointId{9}, reply));
            }
        }
    }
}

TEST(BoundedSearch, takes_no_result_for_an_equal_key_point_whose_bounds_exclude_it) {
    auto above = two_of_a_key({}, 5.0 - 1e-9);
    EXPECT_TRUE(above.ask(1).empty());
    EXPECT_EQ(above.certificate().equal_keys, std::vector{space::PointId{9}});
    auto other = two_of_a_key({}, 2.0, [](space::PointId a, space::PointId b) {
        return std::optional(fmt::format("{}|{}", index_of(a), index_of(b)));
    });
    EXPECT_THAT(refusal_by<BrokenKey>([&] { (void)other.ask(1); }), ::testing::HasSubstr("4|9"));
}

TEST(BoundedSearch, leaves_an_equal_key_point_open_that_fails_in_an_audit) {
    auto bounded_search = two_of_a_key({.audit = 1}, 2.0);
    ASSERT_EQ(bounded_search.ask(1), std::vector{space::PointId{9}});
    bounded_search.tell(space::PointId{9}, {Reply::End::failed, {}});
    EXPECT_EQ(bounded_search.certificate().open, std::vector{space::PointId{9}});
    EXPECT_TRUE(bounded_search.certificate().equal_keys.empty());
}

TEST(BoundedSearch, widens_calibrated_bounds_that_a_result_is_below) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Synthetic truth({.points = 150, .keys = 1000, .levels = 1000, .loose = 200}, seed);
        for (auto& reply : truth.replies) reply.values[0] = std::abs(reply.values[0]) + 1.0;
        for (std::uint64_t id = 0; id < 150; ++id) {
            truth.ideals[id].lower[0] = 1.1 * truth.reply(id).values[0];
            truth.ideals[id].calibrated = 1;
        }
        auto bounded_search = truth.bounded_search();
        (void)climb(bounded_search, truth, 4, seed);
        EXPECT_EQ(ids_of(bounded_search), truth.front()) << "they are all wrong by as much";
        auto const certificate = bounded_search.certificate();
        EXPECT_GT(certificate.below, 0U);
        EXPECT_GT(certificate.grounds[0].slack, 0.09);
        EXPECT_EQ(certificate.grounds[0].kind,
                  certificate.pruned.empty() ? models::Bound::proved : models::Bound::calibrated);
        EXPECT_EQ(certificate.grounds[1].kind, models::Bound::proved);
        EXPECT_EQ(certificate.grounds[1].slack, 0.0);
    }
}

TEST(BoundedSearch, of_no_points_asks_for_nothing) {
    BoundedSearch bounded_search({.objectives = 3}, [](space::PointId) { return models::CycleKey{}; });
    EXPECT_TRUE(bounded_search.ask(9).empty());
    EXPECT_TRUE(bounded_search.members().empty());
    EXPECT_TRUE(bounded_search.certificate().pruned.empty());
}

}  // namespace
}  // namespace pimdse::dse::search::bounded_search_test
