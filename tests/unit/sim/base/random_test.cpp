#include "sim/base/random.hpp"

#include "sim/base/check.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <vector>

namespace pimdse::sim::random_test {
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

TEST(Shuffle, stays_inside_and_apart_also_where_64_bits_end) {
    constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    for (std::uint64_t const size : {max / 4 + 2, max / 2 + 1, max / 2 + 2, max}) {
        Shuffle const shuffle(size, 7);
        std::set<std::uint64_t> seen;
        for (std::uint64_t i = 0; i < 500; ++i) {
            for (auto const position : {i, size / 2 + i, size - 1 - i}) {
                EXPECT_LT(shuffle.at(position), size);
                seen.insert(shuffle.at(position));
            }
        }
        EXPECT_EQ(seen.size(), 1500U) << size;
    }
}

TEST(Shuffle, refuses_a_position_outside) {
    EXPECT_THROW((void)Shuffle(10, 0).at(10), ContractViolation);
    EXPECT_THROW(Shuffle(0, 0), ContractViolation);
}

TEST(MixedBits, are_those_of_the_published_generator) {
    // The first numbers of splitmix64 from seed 0, as printed by the program of its authors.
    EXPECT_EQ(mixed_sequence(0), 0xE220A8397B1DCDAFULL);
    EXPECT_EQ(mixed_sequence(1), 0x6E789E6AA1B965F4ULL);
    EXPECT_EQ(mixed_sequence(2), 0x06C45D188009454FULL);
    for (std::uint64_t counter = 0; counter < 10000; ++counter) {
        EXPECT_GE(mixed_fraction(counter), 0.0);
        EXPECT_LT(mixed_fraction(counter), 1.0);
    }
}

}  // namespace
}  // namespace pimdse::sim::random_test
