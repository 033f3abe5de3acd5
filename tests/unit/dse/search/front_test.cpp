#include "dse/search/front.hpp"

#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace pimdse::dse::search::front_test {
namespace {

using models::Estimate;
using models::Fidelity;
using models::Sense;

std::vector<space::Objective> const both{{0, Sense::minimize}, {1, Sense::minimize}};

space::Result at(std::uint64_t id, double x, double y, Fidelity fidelity = Fidelity::analytic) {
    return {{space::PointId{id}, fidelity}, models::Metrics{Estimate::exact(x), Estimate::exact(y)}, 0.0, 0};
}

search::ResultStore store_of(std::vector<space::Result> const& results) {
    search::ResultStore store(2);
    for (auto const& result : results) store.insert(result);
    return store;
}

TEST(Front, never_compares_results_of_different_fidelities) {
    auto const store = store_of({at(1, 1, 1), at(2, 3, 3), at(2, 5, 5, Fidelity::hybrid), at(3, 6, 4, Fidelity::hybrid),
                                 at(4, 7, 7, Fidelity::hybrid)});
    EXPECT_EQ(finest_fidelity(store), Fidelity::hybrid);
    EXPECT_EQ(front_of(store, both).ids(), (std::vector{space::PointId{2}, space::PointId{3}}));
    EXPECT_EQ(front_of(store, both, Fidelity::analytic).ids(), std::vector{space::PointId{1}});
    EXPECT_TRUE(front_of(store, both, Fidelity::cycle).empty());
}

TEST(Front, is_empty_where_the_finest_results_are_all_infeasible) {
    auto store = store_of({at(1, 1, 1), at(2, 3, 3)});
    store.insert({{space::PointId{2}, Fidelity::cycle}, models::Infeasible{"pace", ""}, 0.0, 0});
    EXPECT_EQ(finest_fidelity(store), Fidelity::cycle);
    EXPECT_TRUE(front_of(store, both).empty());
    // What failed decides nothing.
    auto failed = store_of({at(1, 1, 1)});
    failed.insert({{space::PointId{1}, Fidelity::cycle}, models::Defect{"broken"}, 0.0, 0});
    EXPECT_EQ(finest_fidelity(failed), Fidelity::analytic);
}

TEST(Front, leaves_out_infeasible_and_unwanted_points) {
    auto store = store_of({at(1, 1, 1), at(2, 2, 0.5), at(3, 3, 0.1)});
    store.insert({{space::PointId{0}, Fidelity::analytic}, models::Infeasible{"fits", ""}, 0.0, 0});
    EXPECT_EQ(front_of(store, both).size(), 3U);
    auto const kept = front_of(store, both, std::nullopt, [&](search::Row row) { return store.value(row, 1) < 0.9; });
    EXPECT_EQ(kept.ids(), (std::vector{space::PointId{2}, space::PointId{3}}));
}

TEST(Front, follows_the_senses_of_the_objectives) {
    auto const store = store_of({at(1, 1, 1), at(2, 1, 9), at(3, 0, 9)});
    std::vector<space::Objective> const mixed{{1, Sense::maximize}, {0, Sense::minimize}};
    EXPECT_EQ(front_of(store, mixed).ids(), std::vector{space::PointId{3}});
}

TEST(FrontHistory, has_a_row_for_every_block_of_ids_that_was_touched) {
    constexpr std::uint64_t block = space::BlockSummary::ids;
    auto const store =
        store_of({at(5 * block, 0, 4), at(0, 4, 0), at(1, 2, 2), at(block - 1, 3, 3), at(5 * block + 7, 1, 3.5)});
    auto const history = front_history(store, both, Fidelity::analytic);
    EXPECT_EQ(history.ids_per_row, block);
    EXPECT_EQ(history.first_id, (std::vector<std::uint64_t>{0, 5 * block}));
    EXPECT_EQ(history.evaluations, (std::vector<std::uint64_t>{3, 5}));
    EXPECT_EQ(history.size, (std::vector<std::uint64_t>{2, 4}));
    EXPECT_EQ(history.box.reference, (std::vector{4.0, 4.0}));
    ASSERT_EQ(history.hypervolume.size(), 2U);
    EXPECT_DOUBLE_EQ(history.hypervolume[0], 4.0 / 16.0);
    EXPECT_DOUBLE_EQ(history.hypervolume[1], 4.5 / 16.0);
}

TEST(FrontHistory, joins_blocks_rather_than_growing_beyond_128_rows) {
    search::ResultStore store(2);
    for (std::uint64_t block = 0; block < 1000; ++block)
        store.insert(at(block * space::BlockSummary::ids, 1000.0 - static_cast<double>(block), 1.0));
    auto const history = front_history(store, both, Fidelity::analytic);
    EXPECT_EQ(history.ids_per_row, 8 * space::BlockSummary::ids);
    EXPECT_EQ(history.size.size(), 125U);
    EXPECT_EQ(history.evaluations.back(), 1000U);
    EXPECT_TRUE(std::is_sorted(history.hypervolume.begin(), history.hypervolume.end()));
    EXPECT_DOUBLE_EQ(history.hypervolume.back(), 1.0);
}

TEST(FrontHistory, does_not_depend_on_the_order_of_results) {
    auto results = store::sample::results(0, 3000);
    auto const one = front_history(store::sample::store(results), both, Fidelity::analytic);
    std::reverse(results.begin(), results.end());
    auto const other = front_history(store::sample::store(results), both, Fidelity::analytic);
    EXPECT_EQ(one.hypervolume, other.hypervolume);
    EXPECT_EQ(one.size, other.size);
}

TEST(FrontHistory, adds_up_to_the_hypervolume_of_the_whole_front) {
    for (std::size_t dimensions = 2; dimensions <= 5; ++dimensions) {
        std::mt19937_64 random(dimensions);
        std::normal_distribution<double> normal;
        std::vector<space::Objective> objectives;
        for (std::size_t m = 0; m < dimensions; ++m)
            objectives.push_back({m, m == 1 ? Sense::maximize : Sense::minimize});
        search::ResultStore store(dimensions);
        for (std::uint64_t k = 0; k < 2000; ++k) {
            models::Metrics metrics;
            for (std::size_t m = 0; m < dimensions; ++m) metrics.push_back(Estimate::exact(normal(random)));
            store.insert({{space::PointId{k * 3000}, Fidelity::analytic}, std::move(metrics), 0.0, 0});
        }
        auto const history = front_history(store, objectives, Fidelity::analytic);
        std::vector<double> points;
        for (auto const& member : front_of(store, objectives).members())
            points.insert(points.end(), member.values.begin(), member.values.end());
        ASSERT_GT(history.size.size(), 60U);
        EXPECT_NEAR(history.hypervolume.back(), dominated_share(points, history.box), 1e-12);
        EXPECT_TRUE(std::is_sorted(history.hypervolume.begin(), history.hypervolume.end()));
    }
}

/// A member in every result, spread over all rows of the history.
FrontHistory history_of_members(std::uint64_t count, std::size_t dimensions) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    std::vector<space::Objective> objectives;
    for (std::size_t m = 0; m < dimensions; ++m) objectives.push_back({m, Sense::minimize});
    search::ResultStore store(dimensions);
    for (std::uint64_t k = 0; k < count; ++k) {
        std::vector<double> direction(dimensions);
        double length = 0.0;
        for (auto& d : direction) length += std::pow(d = std::abs(normal(random)), 2);
        models::Metrics metrics;
        for (double const d : direction) metrics.push_back(Estimate::exact(-d / std::sqrt(length)));
        store.insert({{space::PointId{k * 128 * space::BlockSummary::ids / count}, Fidelity::analytic},
                      std::move(metrics),
                      0.0,
                      0});
    }
    return front_history(store, objectives, Fidelity::analytic);
}

TEST(FrontHistory, of_thirty_thousand_members_takes_seconds_at_most) {
    for (std::size_t const dimensions : {2U, 3U}) {
        auto const begun = std::chrono::steady_clock::now();
        auto const history = history_of_members(30000, dimensions);
        auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        ASSERT_EQ(history.size.size(), 128U);
        EXPECT_GT(history.size.back(), 29000U);
#ifndef __SANITIZE_ADDRESS__
        EXPECT_LT(seconds, 15.0) << dimensions << " objectives; one by one it is more than a minute";
#endif
    }
}

/// Six objectives and results that are all members.
FrontHistory history_of_members(std::uint64_t count) {
    std::vector<space::Objective> objectives;
    for (std::size_t m = 0; m < 6; ++m) objectives.push_back({m, Sense::minimize});
    search::ResultStore store(6);
    for (std::uint64_t k = 0; k < count; ++k) {
        auto const x = static_cast<double>(k);
        models::Metrics metrics;
        for (double const v : {x, -x, 0.0, 0.0, 0.0, 0.0}) metrics.push_back(Estimate::exact(v));
        store.insert({{space::PointId{k * 100}, Fidelity::analytic}, std::move(metrics), 0.0, 0});
    }
    return front_history(store, objectives, Fidelity::analytic);
}

TEST(FrontHistory, leaves_out_the_hypervolume_of_a_front_that_is_too_large_but_in_the_end) {
    auto const history = history_of_members(1400);
    EXPECT_EQ(history.size, (std::vector<std::uint64_t>{656, 1311, 1400}));
    EXPECT_FALSE(std::isnan(history.hypervolume[0]));
    EXPECT_TRUE(std::isnan(history.hypervolume[1]));
    EXPECT_GT(history.hypervolume[2], history.hypervolume[0]);
}

TEST(FrontHistory, leaves_it_out_in_the_end_too_where_that_is_too_large) {
    auto const history = history_of_members(2100);
    EXPECT_EQ(history.size.back(), 2100U);
    EXPECT_TRUE(std::isnan(history.hypervolume.back()));
}

TEST(FrontHistory, of_an_empty_store_has_no_rows) {
    auto const history = front_history(search::ResultStore(2), both, Fidelity::analytic);
    EXPECT_TRUE(history.size.empty());
}

}  // namespace
}  // namespace pimdse::dse::search::front_test
