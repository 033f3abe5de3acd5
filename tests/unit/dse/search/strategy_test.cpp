#include "dse/search/strategy.hpp"
#include "dse/space/result.hpp"
#include "tests/unit/dse/made_up_space.hpp"
#include "tests/unit/dse/small_space.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace pimdse::dse::search::strategy_test {
namespace {

std::vector<std::uint64_t> asked_by(space::Space const& space) {
    auto const strategy = make_strategy(space);
    std::vector<std::uint64_t> ids;
    for (auto batch = strategy->ask(7); !batch.empty(); batch = strategy->ask(7)) {
        EXPECT_LE(batch.size(), 7U);
        for (std::uint64_t i = 0; i < batch.size(); ++i) ids.push_back(index_of(batch.task(i).point));
    }
    EXPECT_EQ(ids.size(), strategy->planned());
    return ids;
}

space::Space searched(std::string const& strategy, std::uint64_t budget, std::uint64_t seed) {
    auto space = dse::testing::small_space();
    space.set_search({.strategy = strategy, .budget = budget, .seed = seed});
    return space;
}

TEST(Sweep, asks_for_every_id_in_order_up_to_the_budget) {
    EXPECT_EQ(asked_by(searched("sweep", 0, 1)).size(), dse::testing::small_space().size());
    EXPECT_EQ(asked_by(searched("sweep", 5, 1)), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

/// A sweep over a made-up machine with so many rows and depths.
space::Space swept(int rows, int depths, space::Keep keep) {
    auto space = dse::testing::made_up_space(
        {dse::testing::made_up_machine(
            {.rows = dse::testing::up_to(rows), .depth = dse::testing::up_to(depths), .modes = 1}, {}, "one")},
        2);
    space.set_search({.strategy = "sweep", .keep = keep});
    return space;
}

TEST(Sweep, has_asked_as_much_of_each_part_of_the_space_at_any_time) {
    for (auto const& [rows, depths] : {std::pair{3, 5}, {13, 7}, {64, 16}, {100, 41}, {300, 77}}) {
        auto const ids = asked_by(swept(rows, depths, space::Keep::all));
        std::uint64_t const size = ids.size();
        ASSERT_EQ(size, static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(depths));
        ASSERT_EQ(std::set<std::uint64_t>(ids.begin(), ids.end()).size(), size) << "none twice";
        ASSERT_EQ(*std::max_element(ids.begin(), ids.end()), size - 1) << "none beyond";
        if (size < 1024) continue;
        for (std::size_t requested = size / 10; requested < size; requested += size / 10) {
            std::array<double, 4> quarters{};
            for (std::size_t i = 0; i < requested; ++i) quarters[ids[i] * 4 / size] += 1.0;
            for (double const quarter : quarters)
                EXPECT_NEAR(quarter, static_cast<double>(requested) / 4.0, static_cast<double>(size) / 32.0);
        }
    }
}

TEST(Sweep, asks_for_whole_blocks_of_ids_where_fronts_are_kept) {
    auto const space = swept(1000, 150, space::Keep::front);
    auto const strategy = make_strategy(space);
    std::vector<std::uint64_t> firsts, sizes;
    for (auto batch = strategy->ask(Strategy::non_adaptive); !batch.empty();
         batch = strategy->ask(Strategy::non_adaptive)) {
        firsts.push_back(index_of(batch.task(0).point));
        sizes.push_back(batch.size());
    }
    constexpr std::uint64_t block = space::BlockSummary::ids;
    EXPECT_EQ(firsts, (std::vector<std::uint64_t>{0, 2 * block, block}));
    EXPECT_EQ(sizes, (std::vector<std::uint64_t>{block, 150'000 - 2 * block, block}));
}

TEST(Random, asks_for_distinct_points_decided_by_the_seed) {
    auto const first = asked_by(searched("random", 20, 1));
    EXPECT_EQ(first.size(), 20U);
    EXPECT_EQ(std::set<std::uint64_t>(first.begin(), first.end()).size(), 20U);
    EXPECT_EQ(asked_by(searched("random", 20, 1)), first);
    EXPECT_NE(asked_by(searched("random", 20, 2)), first);
}

TEST(Sobol, asks_for_every_point_of_the_space_once_if_need_be) {
    auto const all = asked_by(searched("sobol", 0, 1));
    EXPECT_EQ(std::set<std::uint64_t>(all.begin(), all.end()).size(), dse::testing::small_space().size());
    EXPECT_EQ(asked_by(searched("sobol", 0, 1)), all);
    EXPECT_NE(asked_by(searched("sobol", 0, 2)), all);
}

TEST(Sobol, takes_every_value_of_an_axis_equally_often) {
    auto const space = searched("sobol", 16, 5);
    std::map<models::Value, int> counts;
    std::vector<models::Value> point;
    int const axis = models::find_parameter(space.machines()[0].parameters(), "mesh_rows");
    auto const ids = asked_by(space);
    for (auto const id : ids) {
        space.decode(space::PointId{id}, point);
        ++counts[point[static_cast<std::size_t>(axis)]];
    }
    ASSERT_EQ(counts.size(), 4U);
    for (auto const& [value, count] : counts) EXPECT_NEAR(count, 4, 1);  // repeated points are left out
}

TEST(Strategies, that_depend_on_every_result_refuse_shards) {
    for (char const* strategy : {"nsga2", "pls"}) {
        auto space = dse::testing::small_space();
        space.set_search({.strategy = strategy, .shard = 0, .shards = 2});
        EXPECT_THROW((void)make_strategy(space), sim::InputError);
    }
}

TEST(Shards, contain_every_requested_point_exactly_once) {
    for (char const* strategy : {"sweep", "random", "sobol"}) {
        std::multiset<std::uint64_t> parts;
        for (std::uint64_t shard = 0; shard < 5; ++shard) {
            auto space = dse::testing::small_space();
            space.set_search({.strategy = strategy, .budget = 43, .shard = shard, .shards = 5});
            for (auto const id : asked_by(space)) parts.insert(id);
        }
        auto const whole = asked_by(searched(strategy, 43, 1));
        EXPECT_EQ(parts, std::multiset<std::uint64_t>(whole.begin(), whole.end()));
    }
}

TEST(Samples, begin_with_the_same_points_whatever_the_budget) {
    for (char const* strategy : {"random", "sobol"}) {
        auto const few = asked_by(searched(strategy, 10, 1));
        auto const many = asked_by(searched(strategy, 40, 1));
        EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
    }
}

}  // namespace
}  // namespace pimdse::dse::search::strategy_test
