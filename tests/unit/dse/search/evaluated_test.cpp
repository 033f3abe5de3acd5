#include "dse/search/point_counts.hpp"

#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace pimdse::dse::search::evaluated_test {
namespace {

using models::Fidelity;
using space::BlockSummary;
constexpr std::uint64_t ids = BlockSummary::ids;

/// The set says of each of these ids what the slow one says.
void expect_ids(space::IdSet const& found, std::set<std::uint64_t> const& expected, std::uint64_t end) {
    EXPECT_EQ(found.size(), expected.size());
    for (std::uint64_t id = 0; id < end; ++id)
        ASSERT_EQ(found.contains(space::PointId{id}), expected.contains(id)) << id;
}

TEST(Evaluated, is_each_row_of_its_fidelity_in_whatever_order_they_came) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 60; ++round) {
        ResultStore store(3);
        std::array<std::set<std::uint64_t>, 3> expected;
        for (std::uint64_t count = random() % 80; count > 0; --count) {
            std::uint64_t const id = random() % 60;
            auto const fidelity = static_cast<Fidelity>(random() % 3);
            store.insert(store::sample::result(id, fidelity));
            expected[static_cast<std::size_t>(fidelity)].insert(id);
        }
        for (std::size_t f = 0; f < 3; ++f) expect_ids(evaluated_ids(store, static_cast<Fidelity>(f)), expected[f], 60);
    }
}

TEST(Evaluated, is_all_of_a_block_whose_front_is_kept_and_of_a_part_what_it_has) {
    ResultStore store(3);
    store.insert(BlockSummary{1, Fidelity::analytic, store::sample::results(ids, 2), {{"", ids - 2}}});
    store.insert(BlockSummary{3, Fidelity::hybrid, {}, {{"", ids}}});
    store.add({2 * ids + 100, 50, Fidelity::analytic, {}, {{"", 50}}});
    store.add({2 * ids + 150, 10, Fidelity::analytic, {}, {{"fits", 10}}});
    auto const found = evaluated_ids(store, Fidelity::analytic);
    EXPECT_EQ(found.size(), ids + 60);
    EXPECT_EQ(found.runs(), 2U);
    EXPECT_TRUE(found.contains(space::PointId{ids + 77})) << "of a block also what it left out";
    EXPECT_FALSE(found.contains(space::PointId{2 * ids + 99}));
    EXPECT_TRUE(found.contains(space::PointId{2 * ids + 159}));
    EXPECT_FALSE(found.contains(space::PointId{2 * ids + 160}));
    EXPECT_FALSE(found.contains(space::PointId{3 * ids})) << "another fidelity";
    EXPECT_EQ(evaluated_ids(store, Fidelity::hybrid).size(), ids);
    EXPECT_TRUE(evaluated_ids(store, Fidelity::cycle).empty());
}

TEST(Evaluated, has_rows_of_one_fidelity_where_fronts_are_kept_of_another) {
    ResultStore store(3);
    store.insert(BlockSummary{0, Fidelity::analytic, store::sample::results(0, 2), {{"", ids - 2}}});
    store.insert(store::sample::result(1, Fidelity::cycle));
    EXPECT_EQ(evaluated_ids(store, Fidelity::analytic).size(), ids);
    EXPECT_EQ(evaluated_ids(store, Fidelity::cycle).size(), 1U);
}

}  // namespace
}  // namespace pimdse::dse::search::evaluated_test
