#include "sim/dram/counters.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <random>

/// Compared with the sorted list of all latencies.
namespace pimdse::sim::dram::latency_test {
namespace {

/// Lower edge of the histogram step of a latency: 1/64 of the power of two below it, single cycles below 4096.
Tick edge_of(Tick latency) {
    if (latency < 4096) return latency;
    auto const step = static_cast<Tick>(std::bit_floor(static_cast<std::uint64_t>(latency)) / 64);
    return latency / step * step;
}

Tick slow_percentile(std::vector<Tick> latencies, double fraction) {
    std::sort(latencies.begin(), latencies.end());
    for (std::size_t i = 0; i < latencies.size(); ++i) {
        if (static_cast<double>(i + 1) >= fraction * static_cast<double>(latencies.size()))
            return edge_of(latencies[i]);
    }
    return 0;
}

Latencies counted(std::vector<Tick> const& latencies) {
    Latencies result;
    for (auto const latency : latencies) result.add(latency);
    return result;
}

std::vector<Tick> some_latencies(std::mt19937_64& random, std::size_t max) {
    std::vector<Tick> latencies(random() % (max + 1));
    for (auto& latency : latencies) latency = static_cast<Tick>(random() >> (1 + random() % 63));
    return latencies;
}

TEST(Latencies, have_the_percentiles_of_the_sorted_list) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 100; ++i) {
        auto const latencies = some_latencies(random, 40);
        auto const held = counted(latencies);
        EXPECT_EQ(held.count(), latencies.size());
        for (double const fraction : {0.0, 0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0})
            EXPECT_EQ(held.percentile(fraction),
                      latencies.empty() ? std::nullopt : std::optional(slow_percentile(latencies, fraction)))
                << fraction;
    }
}

TEST(Latencies, are_exact_below_4096_and_within_a_64th_above) {
    for (Tick const latency : {0, 1, 63, 64, 4094, 4095, 4096}) EXPECT_EQ(counted({latency}).percentile(1.0), latency);
    for (int shift = 12; shift < 63; ++shift) {
        for (Tick const past : {Tick{-1}, Tick{0}, Tick{1}, (Tick{1} << shift) / 64 - 1, (Tick{1} << shift) / 64}) {
            Tick const latency = (Tick{1} << shift) + past, shown = counted({latency}).percentile(0.5).value();
            EXPECT_LE(shown, latency);
            EXPECT_LE(latency - shown, shown / 64);
            EXPECT_EQ(shown, edge_of(latency));
        }
    }
    Tick const last = std::numeric_limits<Tick>::max();
    EXPECT_EQ(counted({last}).percentile(1.0), edge_of(last));
}

TEST(Latencies, of_two_channels_are_those_of_one_list_whoever_is_empty) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 60; ++i) {
        auto const one = some_latencies(random, i % 3 == 0 ? 0 : 20),
                   other = some_latencies(random, i % 2 == 0 ? 0 : 20);
        auto both = one;
        both.insert(both.end(), other.begin(), other.end());
        auto sum = counted(one);
        sum.add_all(counted(other));
        EXPECT_EQ(sum, counted(both));
    }
}

TEST(Latencies, repeat_what_was_gained_since) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 60; ++i) {
        auto list = some_latencies(random, i % 3 == 0 ? 0 : 10);
        auto const earlier = counted(list);
        auto const gained = some_latencies(random, 10);
        list.insert(list.end(), gained.begin(), gained.end());
        auto held = counted(list);
        std::uint64_t const times = random() % 4;
        held.repeat(earlier, times);
        for (std::uint64_t t = 0; t < times; ++t) list.insert(list.end(), gained.begin(), gained.end());
        EXPECT_EQ(held, counted(list));
    }
}

TEST(Latencies, that_are_none_are_0) {
    Latencies none;
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(none.count(), 0U);
    EXPECT_FALSE(none.percentile(0.5));
    none.repeat(Latencies{}, 5);
    none.add_all(Latencies{});
    EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace pimdse::sim::dram::latency_test
