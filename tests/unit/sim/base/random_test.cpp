#include "sim/base/random.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <set>
#include <vector>

namespace pimdse::sim {
namespace {

TEST(Shuffle, meets_every_element_exactly_once) {
    for (std::uint64_t const size : {1ULL, 2ULL, 3ULL, 7ULL, 64ULL, 65ULL, 1000ULL, 4097ULL}) {
        for (std::uint64_t const seed : {0ULL, 1ULL, 99ULL}) {
            Shuffle const shuffle(size, seed);
            std::set<std::uint64_t> seen;
            for (std::uint64_t i = 0; i < size; ++i) seen.insert(shuffle.at(i));
            EXPECT_EQ(seen.size(), size);
            EXPECT_LT(*seen.rbegin(), size);
        }
    }
}

TEST(Shuffle, depends_on_the_seed_and_on_nothing_else) {
    Shuffle const a(100000, 5);
    Shuffle const b(100000, 5);
    Shuffle const c(100000, 6);
    int differences = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        EXPECT_EQ(a.at(i), b.at(i));
        differences += a.at(i) != c.at(i) ? 1 : 0;
    }
    EXPECT_GT(differences, 990);
}

TEST(Shuffle, spreads_a_prefix_evenly_over_the_set) {
    std::uint64_t const size = 1ULL << 40;
    Shuffle const shuffle(size, 3);
    std::vector<int> buckets(16, 0);
    for (std::uint64_t i = 0; i < 16000; ++i) ++buckets[static_cast<std::size_t>(shuffle.at(i) * 16 / size)];
    for (int const count : buckets) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace pimdse::sim
