#include "models/upmem/dpu/memory.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace pimdse::models::upmem::dpu::clock_test {
namespace {

__extension__ using Wide = __int128;

struct Clocks {
    std::int64_t memory, logic;
};

/// Whole ratios, coprime ones, some of 32 bits and some whose product needs more than 64.
Clocks drawn(std::mt19937_64& random, int i) {
    auto const upto = [&](std::uint64_t max) { return static_cast<std::int64_t>(1 + random() % max); };
    if (i % 4 == 0) return {upto(20), 1};
    if (i % 4 == 1) return {upto(5000), upto(5000)};
    if (i % 4 == 2) return {upto(1ULL << 32), upto(1ULL << 32)};
    return {upto(1ULL << 50), upto(1ULL << 50)};
}

TEST(MemoryClock, begins_every_cycle_where_the_fraction_says) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 4000; ++i) {
        auto const [memory, logic] = drawn(random, i);
        MemoryClock const clock(memory, logic);
        auto const cycle = static_cast<std::int64_t>(random() >> (2 + random() % 60));
        if (cycle >= clock.beyond()) continue;
        EXPECT_EQ(clock.first(cycle), static_cast<std::int64_t>(static_cast<Wide>(cycle) * memory / logic))
            << cycle << " of " << memory << " / " << logic;
    }
}

TEST(MemoryClock, knows_the_last_cycle_that_begins_by_a_memory_cycle) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 4000; ++i) {
        auto const [memory, logic] = drawn(random, i);
        MemoryClock const clock(memory, logic);
        auto const m = static_cast<std::int64_t>(random() >> (3 + random() % 60));
        // The largest c with c n / d < m + 1.
        auto const slow = ((static_cast<Wide>(m) + 1) * logic - 1) / memory;
        if (slow >= clock.beyond()) continue;
        auto const cycle = clock.cycle_of(m);
        ASSERT_EQ(cycle, static_cast<std::int64_t>(slow)) << m << " of " << memory << " / " << logic;
        EXPECT_LE(clock.first(cycle), m);
        if (cycle + 1 < clock.beyond()) {
            EXPECT_GT(clock.first(cycle + 1), m);
        }
    }
}

TEST(MemoryClock, counts_as_ratios_are_whatever_their_unit) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 200; ++i) {
        auto const [memory, logic] = drawn(random, i % 2);
        MemoryClock const clock(memory, logic), same(memory * 1'000'000, logic * 1'000'000);
        for (std::int64_t cycle = 0; cycle < 100; ++cycle) EXPECT_EQ(clock.first(cycle), same.first(cycle));
        EXPECT_EQ(clock.ratio(), same.ratio());
        EXPECT_NEAR(clock.mean_ratio(), clock.ratio(), 1e-6 * std::max(1.0, clock.ratio()));
    }
}

TEST(MemoryClock, says_where_its_memory_cycles_end) {
    std::mt19937_64 random(4);
    for (int i = 0; i < 1000; ++i) {
        auto const [memory, logic] = drawn(random, i);
        MemoryClock const clock(memory, logic);
        auto const last = clock.beyond() - 1;
        ASSERT_GE(last, 0);
        EXPECT_LT(static_cast<Wide>(last) * memory / logic, std::numeric_limits<std::int64_t>::max() / 2);
        EXPECT_EQ(clock.first(last), static_cast<std::int64_t>(static_cast<Wide>(last) * memory / logic));
    }
}

}  // namespace
}  // namespace pimdse::models::upmem::dpu::clock_test
