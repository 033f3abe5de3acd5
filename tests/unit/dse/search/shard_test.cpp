#include "dse/search/strategy.hpp"

#include "dse/space/result.hpp"
#include "tests/unit/dse/made_up_space.hpp"

#include <gtest/gtest.h>
#include <random>

namespace pimdse::dse::search::shard_test {
namespace {

__extension__ using Wide = unsigned __int128;

Positions cut(space::Space& space, std::uint64_t budget, std::uint64_t shard, std::uint64_t shards,
              space::Keep keep = space::Keep::all) {
    space.set_search({.budget = budget, .keep = keep, .shard = shard, .shards = shards});
    return shard_positions(space);
}

TEST(Shards, are_equal_parts_of_what_is_planned_however_many_there_are) {
    auto space = dse::testing::made_up_space({dse::testing::made_up_machine({.ordered = 20})});  // 20! points
    std::mt19937_64 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::uint64_t const budget = random() >> random() % 64,
                            shards = std::max<std::uint64_t>(1, random() >> random() % 64);
        std::uint64_t const shard = random() % shards;
        std::uint64_t const planned = budget == 0 ? space.size() : std::min(budget, space.size());
        auto const here = cut(space, budget, shard, shards);
        ASSERT_EQ(here.first, static_cast<std::uint64_t>(static_cast<Wide>(planned) * shard / shards))
            << planned << " points, shard " << shard << " of " << shards;
        ASSERT_EQ(here.last, static_cast<std::uint64_t>(static_cast<Wide>(planned) * (shard + 1) / shards));
    }
}

TEST(Shards, have_every_position_once_and_whole_blocks_where_fronts_are_kept) {
    constexpr std::uint64_t block = space::BlockSummary::ids;
    auto space = dse::testing::made_up_space({dse::testing::made_up_machine({.ordered = 11})});  // 39,916,800 points
    for (auto const keep : {space::Keep::all, space::Keep::front}) {
        for (std::uint64_t const budget : {0ULL, 1ULL, 5ULL, 65'536ULL, 65'537ULL, 1'000'003ULL}) {
            for (std::uint64_t const shards : {1ULL, 2ULL, 3ULL, 7ULL, 64ULL, 1000ULL}) {
                std::uint64_t next = 0;
                for (std::uint64_t shard = 0; shard < shards; ++shard) {
                    auto const here = cut(space, budget, shard, shards, keep);
                    ASSERT_EQ(here.first, next);
                    ASSERT_GE(here.last, here.first);
                    ASSERT_TRUE(keep == space::Keep::all || here.first % block == 0 || here.first == here.last);
                    next = here.last;
                }
                ASSERT_EQ(next, budget == 0 ? space.size() : budget);
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::dse::search::shard_test
