#include "dse/space/batch.hpp"

#include "sim/base/random.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace pimdse::dse::space::id_set_test {
namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

/// The slow way: one id at a time among the first 200.
IdSet::Stretch stretch_of(std::set<std::uint64_t> const& ids, std::uint64_t id) {
    bool const inside = ids.contains(id);
    std::uint64_t end = id;
    while (end < 400 && ids.contains(end) == inside) ++end;
    return {inside, end == 400 ? none : end};
}

TEST(IdSet, says_what_a_set_of_single_ids_says) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        IdSet set, other;
        std::set<std::uint64_t> slow, slow_other;
        for (std::uint64_t i = 0; i < 12; ++i) {
            std::uint64_t const first = sim::mixed_bits(seed * 100 + i) % 180;
            std::uint64_t const last = first + sim::mixed_bits(seed * 100 + i + 50) % 15;
            bool const to_other = i % 3 == 2;
            (to_other ? other : set).add(first, last);
            for (std::uint64_t id = first; id < last; ++id) (to_other ? slow_other : slow).insert(id);
        }
        set.subtract(other);
        for (auto const id : slow_other) slow.erase(id);
        ASSERT_EQ(set.size(), slow.size());
        for (std::uint64_t id = 0; id < 200; ++id) {
            auto const expected = stretch_of(slow, id);
            auto const found = set.stretch(id);
            ASSERT_EQ(found.inside, expected.inside) << id;
            ASSERT_EQ(found.end, expected.end) << id;
            ASSERT_EQ(set.contains(PointId{id}), slow.contains(id));
        }
    }
}

TEST(IdSet, joins_neighbours) {
    IdSet set;
    for (std::uint64_t block = 0; block < 1000; ++block) set.add(block * 65'536, (block + 1) * 65'536);
    EXPECT_EQ(set.runs(), 1U);
    EXPECT_EQ(set.stretch(5).end, 1000U * 65'536);
}

TEST(IdSet, reaches_to_the_last_id_there_is) {
    IdSet set;
    set.add(none - 3, none);
    set.add(PointId{none - 5});
    EXPECT_EQ(set.size(), 4U);
    EXPECT_TRUE(set.contains(PointId{none - 1}));
    EXPECT_FALSE(set.contains(PointId{none - 4}));
    EXPECT_EQ(set.stretch(none - 3).end, none);
    EXPECT_EQ(set.stretch(0).end, none - 5);
    IdSet all;
    all.add(0, none);
    EXPECT_EQ(all.size(), none);
    all.subtract(set);
    EXPECT_EQ(all.size(), none - 4);
    EXPECT_EQ(all.runs(), 2U);
}

TEST(IdSet, knows_that_nothing_follows) {
    IdSet const empty;
    EXPECT_FALSE(empty.stretch(7).inside);
    EXPECT_EQ(empty.stretch(7).end, none);
}

}  // namespace
}  // namespace pimdse::dse::space::id_set_test
