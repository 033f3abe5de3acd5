#include "dse/strategy/strategies.hpp"
#include "tests/unit/dse/small_space.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace pimdse::dse::strategy {
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
    auto space = testing::small_space();
    space.set_search({.strategy = strategy, .budget = budget, .seed = seed});
    return space;
}

TEST(Sweep, asks_for_every_id_in_order_up_to_the_budget) {
    EXPECT_EQ(asked_by(searched("sweep", 0, 1)).size(), testing::small_space().size());
    EXPECT_EQ(asked_by(searched("sweep", 5, 1)), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
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
    EXPECT_EQ(std::set<std::uint64_t>(all.begin(), all.end()).size(), testing::small_space().size());
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
        space.decode(task::PointId{id}, point);
        ++counts[point[static_cast<std::size_t>(axis)]];
    }
    ASSERT_EQ(counts.size(), 4U);
    for (auto const& [value, count] : counts) EXPECT_NEAR(count, 4, 1);  // repeated points are left out
}

TEST(Strategies, that_depend_on_every_answer_refuse_shards) {
    for (char const* strategy : {"nsga2", "pls"}) {
        auto space = testing::small_space();
        space.set_search({.strategy = strategy, .shard = 0, .shards = 2});
        EXPECT_THROW((void)make_strategy(space), sim::InputError);
    }
}

TEST(Shards, cover_what_is_asked_exactly_once) {
    for (char const* strategy : {"sweep", "random", "sobol"}) {
        std::multiset<std::uint64_t> parts;
        for (std::uint64_t shard = 0; shard < 5; ++shard) {
            auto space = testing::small_space();
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
}  // namespace pimdse::dse::strategy
