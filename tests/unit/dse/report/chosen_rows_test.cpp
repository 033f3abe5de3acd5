#include "dse/report/page_columns.hpp"

#include "dse/search/front.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace pimdse::dse::report::chosen_rows_test {
namespace {

using models::Estimate;
using models::Fidelity;
using models::Sense;
using search::ResultStore;

/// A file of few different numbers with intervals, two fidelities and failures; one objective is maximised.
store::ResultFile file_of(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    store::ResultFile file{{}, store::sample::columns(), ResultStore(3), {}, {}, Fidelity::hybrid, {}, {}, {}, {}};
    file.columns.objectives = {{0, Sense::minimize}, {2, Sense::maximize}};
    for (int i = 0; i < 120; ++i) {
        auto const number = [&] {
            auto const value = static_cast<double>(random() % 12);
            auto const width = static_cast<double>(random() % 3);
            return Estimate::within(value, value - width, value + width, models::Bound::proved);
        };
        models::Outcome outcome = models::Infeasible{"fits", ""};
        if (random() % 6 != 0) outcome = models::Metrics{number(), number(), number()};
        file.store.insert({{space::PointId{random() % 90}, random() % 4 == 0 ? Fidelity::analytic : Fidelity::hybrid},
                           outcome,
                           0.0,
                           0});
    }
    file.front = search::front_of(file.store, file.columns.objectives, file.front_fidelity).ids();
    return file;
}

/// As need_names, by definition: no member of the front is as good at its worst as this row at its best.
std::size_t need_of(store::ResultFile const& file, search::Row row) {
    auto const task = file.store.task(row);
    if (file.store.status(row) != search::Status::ok) return 2;
    if (task.fidelity != file.front_fidelity) return 3;
    if (std::ranges::find(file.front, task.point) != file.front.end()) return 0;
    for (auto const id : file.front) {
        auto const member = *file.store.find({id, file.front_fidelity});
        bool const faster = file.store.estimate(member, 0).upper <= file.store.estimate(row, 0).lower;
        bool const more = file.store.estimate(member, 2).lower >= file.store.estimate(row, 2).upper;
        if (faster && more) return 3;
    }
    return 1;
}

TEST(RankedRows, are_ranked_by_what_their_intervals_leave_open) {
    std::size_t within = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        auto const file = file_of(seed);
        auto const ranked = ranked_rows(file);
        RowsPerNeed counts{};
        for (search::Row row = 0; row < file.store.size(); ++row) ++counts[need_of(file, row)];
        EXPECT_EQ(ranked.counts, counts) << seed;
        within += counts[1];
        std::set<search::Row> const all(ranked.rows.begin(), ranked.rows.end());
        ASSERT_EQ(all.size(), file.store.size());
        EXPECT_TRUE(std::ranges::is_sorted(ranked.rows, {}, [&](auto row) { return need_of(file, row); })) << seed;
    }
    EXPECT_GT(within, 100U);
}

TEST(RankedRows, are_chosen_from_the_first_on_and_put_in_order) {
    auto const file = file_of(1);
    auto const ranked = ranked_rows(file);
    for (std::size_t count = 0; count <= ranked.rows.size() + 2; ++count) {
        auto const chosen = ranked.first(file.store, count);
        std::set<search::Row> const wanted(
            ranked.rows.begin(),
            ranked.rows.begin() + static_cast<std::ptrdiff_t>(std::min(count, ranked.rows.size())));
        EXPECT_EQ(std::set<search::Row>(chosen.begin(), chosen.end()), wanted);
        EXPECT_TRUE(std::ranges::is_sorted(chosen, {}, [&](auto row) { return file.store.task(row); }));
        RowsPerNeed needs{};
        for (auto const row : chosen) ++needs[need_of(file, row)];
        EXPECT_EQ(ranked.counts_in(count), needs) << count;
    }
}

TEST(RankedRows, of_one_need_follow_no_pattern) {
    store::ResultFile file{{}, store::sample::columns(), ResultStore(3), {}, {}, Fidelity::analytic, {}, {}, {}, {}};
    for (std::uint64_t id = 0; id < 4000; ++id)
        file.store.insert({{space::PointId{id}, Fidelity::analytic}, models::Infeasible{"fits", ""}, 0.0, 0});
    auto const first = ranked_rows(file).first(file.store, 400);
    std::vector<int> quarters(4, 0), digits(4, 0);
    for (auto const row : first) {
        auto const id = index_of(file.store.task(row).point);
        ++quarters[id / 1000];
        ++digits[id % 4];
    }
    for (int const count : quarters) EXPECT_NEAR(count, 100, 35);
    for (int const count : digits) EXPECT_NEAR(count, 100, 35);
}

}  // namespace
}  // namespace pimdse::dse::report::chosen_rows_test
