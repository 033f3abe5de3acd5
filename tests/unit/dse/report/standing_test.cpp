#include "dse/report/standing.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>

namespace pimdse::dse::report::standing_test {
namespace {

using models::Estimate;
using models::Fidelity;
using models::Sense;
using space::PointId;

std::vector<space::Objective> const objectives{{0, Sense::minimize}, {1, Sense::maximize}, {2, Sense::minimize}};

search::ResultStore some_results(std::size_t points, int values, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> number(1, values);
    search::ResultStore store(3);
    for (std::size_t id = 0; id < points; ++id) {
        models::Metrics metrics;
        for (int m = 0; m < 3; ++m) metrics.push_back(Estimate::exact(number(random)));
        store.insert({{PointId{2 * id}, Fidelity::cycle}, std::move(metrics), 0.0, 0});
    }
    return store;
}

/// By the definition: somebody is as good in everything, and the earlier one of equals stays.
bool is_dominated(FrontView const& front_view, PointId point, std::vector<double> const& own) {
    for (std::size_t at = 0; at < front_view.size(); ++at) {
        auto const other = front_view.vector(at);
        bool const as_good = std::equal(other.begin(), other.end(), own.begin(), std::less_equal<>());
        bool const equal = std::equal(other.begin(), other.end(), own.begin());
        if (front_view.id(at) != point && as_good && (!equal || front_view.id(at) < point)) return true;
    }
    return false;
}

std::vector<double> vector_at(FrontView const& front_view, std::size_t at) {
    return {front_view.vector(at).begin(), front_view.vector(at).end()};
}

TEST(Standing, of_a_point_is_that_of_its_definition) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        FrontView const front_view(some_results(60, seed % 2 == 0 ? 4 : 1000, seed), objectives, Fidelity::cycle);
        for (std::size_t at = 0; at < front_view.size(); ++at) {
            auto const own = vector_at(front_view, at);
            auto const standing = standing_of(front_view, front_view.id(at), own);
            ASSERT_EQ(standing.on_front, !is_dominated(front_view, front_view.id(at), own));
            EXPECT_EQ(standing.on_front, std::ranges::count(front_view.front(), at) == 1);
            EXPECT_EQ(standing.on_front, standing.dominators.empty());
            for (auto const witness : standing.dominators) {
                auto const place = *front_view.find(witness);
                EXPECT_EQ(std::ranges::count(front_view.front(), place), 1);
                EXPECT_TRUE(std::ranges::equal(front_view.vector(place), own, std::less_equal<>()));
            }
        }
    }
}

TEST(Standing, turns_where_one_objective_alone_decides) {
    constexpr double step = 1e-6;
    for (unsigned seed = 0; seed < 20; ++seed) {
        FrontView const front_view(some_results(60, 40, seed), objectives, Fidelity::cycle);
        for (std::size_t at = 0; at < front_view.size(); ++at) {
            auto const id = front_view.id(at);
            auto const standing = standing_of(front_view, id, front_view.vector(at));
            for (std::size_t i = 0; i < objectives.size(); ++i) {
                auto changed = vector_at(front_view, at);
                if (!standing.front_limits[i]) {
                    changed[i] = 1e9;
                    EXPECT_FALSE(is_dominated(front_view, id, changed));
                    continue;
                }
                double const turn = front_view.as_metric(i, standing.front_limits[i]->at);
                changed[i] = turn - step;
                EXPECT_FALSE(is_dominated(front_view, id, changed));
                changed[i] = turn + step;
                EXPECT_TRUE(is_dominated(front_view, id, changed));
                EXPECT_NEAR(standing.front_limits[i]->share, std::abs(turn / front_view.vector(at)[i] - 1.0), 1e-12);
            }
        }
    }
}

TEST(Standing, is_behind_by_what_all_objectives_together_have_to_gain) {
    constexpr double little = 1e-9;
    FrontView const front_view(some_results(60, 1000, 7), objectives, Fidelity::cycle);
    for (std::size_t at = 0; at < front_view.size(); ++at) {
        auto const id = front_view.id(at);
        auto const standing = standing_of(front_view, id, front_view.vector(at));
        auto const dominated_with = [&](double share) {
            auto changed = vector_at(front_view, at);
            for (double& number : changed) number -= share * std::abs(number);
            return is_dominated(front_view, id, changed);
        };
        EXPECT_EQ(standing.on_front, *standing.needed_gain < 0.0);
        EXPECT_TRUE(dominated_with(*standing.needed_gain - little));
        EXPECT_FALSE(dominated_with(*standing.needed_gain + little));
    }
}

TEST(Standing, of_equals_is_on_the_front_for_the_smaller_id_only) {
    search::ResultStore store(3);
    for (std::uint64_t id : {4U, 9U})
        store.insert({{PointId{id}, Fidelity::analytic}, models::Metrics(3, Estimate::exact(1.0)), 0.0, 0});
    FrontView const front_view(store, objectives, Fidelity::analytic);
    auto const first = standing_of(front_view, PointId{4}, front_view.vector(0));
    auto const second = standing_of(front_view, PointId{9}, front_view.vector(1));
    EXPECT_TRUE(first.on_front);
    EXPECT_EQ(first.dominates, 1U);
    EXPECT_EQ(second.dominators, std::vector{PointId{4}});
    EXPECT_EQ(second.front_limits[0]->share, 0.0);
}

TEST(Standing, alone_has_no_turns_and_is_behind_nobody) {
    FrontView const front_view(some_results(1, 5, 1), objectives, Fidelity::cycle);
    auto const standing = standing_of(front_view, PointId{0}, front_view.vector(0));
    EXPECT_TRUE(standing.on_front && !standing.needed_gain && !standing.front_limits[0]);
}

TEST(FrontView, has_the_results_of_one_fidelity_only) {
    auto store = some_results(3, 5, 2);
    store.insert({{PointId{1}, Fidelity::analytic}, models::Metrics(3, Estimate::exact(0.5)), 0.0, 0});
    store.insert({{PointId{8}, Fidelity::cycle}, models::Infeasible{"capacity", "too large"}, 0.0, 0});
    FrontView const front_view(store, objectives, Fidelity::cycle);
    EXPECT_EQ(front_view.size(), 3U);
    EXPECT_FALSE(front_view.find(PointId{1}) || front_view.find(PointId{8}));
    EXPECT_EQ(front_view.find(PointId{4}), 2U);
}

}  // namespace
}  // namespace pimdse::dse::report::standing_test
