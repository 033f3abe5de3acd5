#include "sim/dram/counters.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>

/// Compared with counters of the same channels that are updated one by one.
namespace pimdse::sim::dram::counters_test {
namespace {

std::vector<std::uint64_t*> counts_of(Counters& c) {
    std::vector<std::uint64_t*> counts{
        &c.requests,       &c.reads,     &c.writes,          &c.hits,        &c.misses,         &c.conflicts,
        &c.forwarded,      &c.coalesced, &c.row_activations, &c.precharges,  &c.precharge_alls, &c.read_commands,
        &c.write_commands, &c.refreshes, &c.clock_syncs,     &c.latency_sum, &c.simulated};
    for (auto& use : c.bus_use) counts.push_back(&use);
    return counts;
}

/// Increments every counter by a random amount.
void go_on(Counters& counters, std::mt19937_64& random) {
    counters.cycles += static_cast<Tick>(random() % 1000);
    for (auto* count : counts_of(counters)) *count += random() % 1000;
    for (auto reads = random() % 5; reads > 0; --reads) counters.latencies.add(static_cast<Tick>(random() % 5000));
}

Counters some_counters(std::mt19937_64& random) {
    Counters counters;
    go_on(counters, random);
    return counters;
}

TEST(Counters, of_two_channels_add_up_and_end_with_the_later) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 50; ++i) {
        auto one = some_counters(random), other = some_counters(random), sum = one;
        sum.add(other);
        auto const ones = counts_of(one), others = counts_of(other), sums = counts_of(sum);
        for (std::size_t c = 0; c < sums.size(); ++c) EXPECT_EQ(*sums[c], *ones[c] + *others[c]) << c;
        EXPECT_EQ(sum.cycles, std::max(one.cycles, other.cycles));
        EXPECT_EQ(sum.latencies.count(), one.latencies.count() + other.latencies.count());
    }
}

TEST(Counters, are_added_in_any_order) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 50; ++i) {
        auto const a = some_counters(random), b = some_counters(random), c = some_counters(random);
        auto left = a, right = c, bc = b;
        left.add(b);
        left.add(c);
        bc.add(a);
        right.add(bc);
        EXPECT_EQ(left, right);
    }
}

TEST(Counters, repeat_a_gain_as_if_it_had_been_counted_again) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 50; ++i) {
        auto const earlier = some_counters(random);
        auto later = earlier;
        go_on(later, random);
        auto const times = random() % 4;
        auto repeated = later, before = earlier;
        repeated.repeat(earlier, times);
        EXPECT_EQ(repeated.cycles, later.cycles);
        auto const all = counts_of(repeated), now = counts_of(later), then = counts_of(before);
        for (std::size_t c = 0; c < all.size(); ++c) EXPECT_EQ(*all[c], *now[c] + times * (*now[c] - *then[c])) << c;
        EXPECT_EQ(repeated.latencies.count(),
                  later.latencies.count() + times * (later.latencies.count() - earlier.latencies.count()));
    }
}

Standard charged() {
    Standard standard;
    standard.clock = Time{1e-9};
    standard.organisation.burst_bytes = 64;
    standard.energy = {Energy{1.0}, Energy{10.0}, Energy{100.0}, Energy{1000.0}, Energy{1e4}, Energy{1e5}};
    return standard;
}

TEST(Counters, are_charged_command_by_command) {
    Counters counters;
    counters.row_activations = 2, counters.read_commands = 3, counters.write_commands = 4, counters.refreshes = 5;
    auto split = energy(counters, charged());
    EXPECT_DOUBLE_EQ(split.activate.si, 2.0);
    EXPECT_DOUBLE_EQ(split.array.si, 3 * 10.0 + 4 * 100.0);
    EXPECT_DOUBLE_EQ(split.transfer.si, (3 + 4) * 1000.0);
    EXPECT_DOUBLE_EQ(split.refresh.si, 5e4);
    EXPECT_DOUBLE_EQ(split.total().si, 2.0 + 430.0 + 7000.0 + 5e4);
    counters.refreshes_are_all_bank = false;
    EXPECT_DOUBLE_EQ(energy(counters, charged()).refresh.si, 5e5);
}

TEST(Counters, of_an_empty_run_have_no_bandwidth_and_no_latency) {
    Counters none;
    EXPECT_EQ(bandwidth(none, charged()).si, 0.0);
    EXPECT_FALSE(none.average_read_latency());
    none.cycles = 100, none.requests = 50, none.reads = 20, none.latency_sum = 700;
    EXPECT_EQ(bandwidth(none, charged()).si, 0.0) << "no burst crossed the bus";
    none.read_commands = 15, none.write_commands = 25;
    EXPECT_DOUBLE_EQ(bandwidth(none, charged()).si, 40 * 64 / 100e-9);
    EXPECT_DOUBLE_EQ(none.average_read_latency().value(), 35.0);
}

}  // namespace
}  // namespace pimdse::sim::dram::counters_test
