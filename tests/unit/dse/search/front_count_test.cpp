#include "dse/search/front.hpp"

#include "dse/search/front.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace pimdse::dse::search::front_count_test {
namespace {

using models::Estimate;
using models::Fidelity;
using models::Sense;
using std::chrono::hours;
using std::chrono::microseconds;

std::vector<space::Objective> const mixed{{1, Sense::maximize}, {0, Sense::minimize}};
constexpr std::uint64_t block = space::BlockSummary::ids;

/// Few different numbers, two fidelities, and points that are not feasible, in any order.
std::vector<space::Result> some_results(std::mt19937_64& random, std::uint64_t many, std::uint64_t ids) {
    std::vector<space::Result> results;
    for (std::uint64_t i = 0; i < many; ++i) {
        space::Task const task{space::PointId{random() % ids},
                               random() % 3 == 0 ? Fidelity::cycle : Fidelity::analytic};
        auto const number = [&] { return Estimate::exact(static_cast<double>(random() % 9)); };
        models::Outcome outcome = models::Infeasible{"fits", ""};
        if (random() % 5 != 0) outcome = models::Metrics{number(), number()};
        results.push_back({task, outcome, 0.0, 0});
    }
    return results;
}

/// By definition, in the order of ids.
std::vector<space::PointId> front_among(search::ResultStore const& store, Fidelity fidelity, std::uint64_t below) {
    std::vector<space::PointId> members;
    auto const counts = [&](auto row) {
        return store.status(row) == search::Status::ok && store.task(row).fidelity == fidelity &&
               index_of(store.task(row).point) < below;
    };
    for (auto const row : store.sorted()) {
        bool dominated = !counts(row);
        for (auto const other : store.sorted()) {
            if (dominated || other == row || !counts(other)) continue;
            double const speed = store.value(other, 1) - store.value(row, 1);
            double const time = store.value(row, 0) - store.value(other, 0);
            bool const equal = speed == 0.0 && time == 0.0;
            dominated = speed >= 0.0 && time >= 0.0 && (!equal || store.task(other).point < store.task(row).point);
        }
        if (!dominated) members.push_back(store.task(row).point);
    }
    return members;
}

TEST(FrontCount, is_that_of_the_rows_it_has_looked_at_while_the_store_grows) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        std::mt19937_64 random(seed);
        search::ResultStore store(2), copy(2);
        FrontCount coarse(store, mixed, Fidelity::analytic), fine(store, mixed, Fidelity::cycle);
        for (auto const& result : some_results(random, 150, 1000)) {
            store.insert(result);
            if (random() % 10 != 0) continue;
            coarse.look(hours(1));
            fine.look(hours(1));
            EXPECT_EQ(coarse.rows(), store.size());
            EXPECT_EQ(coarse.members(), front_among(store, Fidelity::analytic, 1000).size());
            EXPECT_EQ(fine.members(), front_among(store, Fidelity::cycle, 1000).size());
        }
    }
}

TEST(FrontCount, falls_behind_where_it_is_given_no_time_and_catches_up) {
    std::mt19937_64 random(1);
    search::ResultStore store(2);
    store.insert(some_results(random, 500, 100'000));
    FrontCount count(store, mixed, Fidelity::analytic);
    count.look(microseconds(0));
    EXPECT_EQ(count.rows(), 0U);
    EXPECT_EQ(count.members(), 0U);
    for (int i = 0; i < 3; ++i) count.look(hours(1));
    EXPECT_EQ(count.rows(), store.size());
    EXPECT_EQ(count.members(), front_of(store, mixed, Fidelity::analytic).size());
}

TEST(FrontHistory, has_in_every_row_the_front_of_the_ids_up_to_it) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        std::mt19937_64 random(seed);
        search::ResultStore store(2);
        std::uint64_t const blocks = seed % 2 == 0 ? 9 : 700;
        store.insert(some_results(random, 100, blocks * block));
        auto const history = front_history(store, mixed, Fidelity::cycle);
        EXPECT_EQ(history.ids_per_row % block, 0U);
        EXPECT_EQ(history.front, front_among(store, Fidelity::cycle, blocks * block));
        std::set<std::uint64_t> rows;
        for (auto const row : store.sorted())
            rows.insert(index_of(store.task(row).point) / history.ids_per_row * history.ids_per_row);
        EXPECT_EQ(std::vector<std::uint64_t>(rows.begin(), rows.end()), history.first_id);
        EXPECT_LE(history.first_id.size(), 128U);
        for (std::size_t i = 0; i < history.first_id.size(); ++i) {
            auto const end = history.first_id[i] + history.ids_per_row;
            EXPECT_EQ(history.size[i], front_among(store, Fidelity::cycle, end).size()) << seed << " row " << i;
            auto const before =
                std::ranges::count_if(store.sorted(), [&](auto row) { return index_of(store.task(row).point) < end; });
            EXPECT_EQ(history.evaluations[i], static_cast<std::uint64_t>(before));
        }
    }
}

TEST(FrontHistory, counts_all_points_of_blocks_of_which_the_front_was_kept) {
    search::ResultStore store(2);
    std::map<std::uint64_t, std::uint64_t> points{{0, 9}, {2, 40}, {3, 5}, {300, 7}};
    for (auto const& [number, many] : points) {
        store.insert({{space::PointId{number * block + 1}, Fidelity::analytic},
                      models::Metrics(2, Estimate::exact(static_cast<double>(number))),
                      0.0,
                      0});
        store.add_block(number, Fidelity::analytic, many);
    }
    auto const history = front_history(store, mixed, Fidelity::analytic);
    for (std::size_t i = 0; i < history.first_id.size(); ++i) {
        std::uint64_t sum = 0;
        for (auto const& [number, many] : points) {
            if (number * block < history.first_id[i] + history.ids_per_row) sum += many;
        }
        EXPECT_EQ(history.evaluations[i], sum) << i;
    }
    EXPECT_EQ(history.evaluations.back(), 61U);
}

}  // namespace
}  // namespace pimdse::dse::search::front_count_test
