#include "sim/pim/pim_channel.hpp"

#include "paper_timing.hpp"

#include <gtest/gtest.h>

#include <random>

namespace pimdse::sim::pim::pim_channel_test {
namespace {

PimTiming paper_timing(double interval = 3.2) {
    auto t = test::paper_pim_timing();
    t.mac_interval = interval;
    return t;
}

std::int64_t cycles(BankWork const& work, PimTiming const& timing, std::int64_t interval = 0, std::int64_t time = 0,
                    std::int64_t phase = 0) {
    PimChannel channel(timing, interval, time, phase);
    channel.execute(runs_of(work));
    return channel.cycles();
}

BankWork work(std::int64_t inputs, std::int64_t outputs, LoopOrder order = LoopOrder::kseg,
              std::int64_t buffer = 1024) {
    return {(inputs + 127) / 128 * 256, (outputs + 63) / 64, 2048, 32, buffer * 2, order};
}

TEST(PimChannel, opens_and_closes_a_row_at_clock_edges) {
    auto t = paper_timing();
    t.buffer_write = 0;
    // ACT 0, MAC 15 .. 15 + 63 * 3.2 = 216.6, PRE after nRTP at the edge 221, closed at 236
    EXPECT_EQ(cycles({2048, 1, 2048, 32, 2048, LoopOrder::kseg}, t), 236);
    // one MAC: the row is restored first
    EXPECT_EQ(cycles({32, 1, 2048, 32, 2048, LoopOrder::kseg}, t), 34 + 15);
    // at four cycles nothing is rounded
    EXPECT_EQ(cycles({2048, 1, 2048, 32, 2048, LoopOrder::kseg},
                     [] {
                         auto four = paper_timing(4.0);
                         four.buffer_write = 0;
                         return four;
                     }()),
              286);
}

TEST(PimChannel, a_mac_before_the_deadline_issues_and_one_at_it_waits) {
    auto t = paper_timing(4.0);
    t.buffer_write = 0;
    BankWork const two{64, 1, 2048, 32, 2048, LoopOrder::kseg};
    // MACs at 15 and 19: a deadline at 20 comes after both, the row closes at 34 and the refresh follows at 49
    EXPECT_EQ(cycles(two, t, 1000, 100, 1000 - 20), 49 + 100);
    // a deadline at 19 takes the second MAC's place: PRE 34, REF 49, ACT 149, MAC 164, PRE 183, closed 198
    EXPECT_EQ(cycles(two, t, 1000, 100, 1000 - 19), 198);
}

TEST(PimChannel, agrees_with_the_equations_up_to_rounding_without_refresh) {
    for (auto const order : {LoopOrder::kseg, LoopOrder::nat, LoopOrder::res}) {
        for (bool const twice : {true, false}) {
            for (auto const& [inputs, outputs] : {std::pair{768, 768}, {4096, 4096}, {1024, 300}, {3072, 768}}) {
                auto t = paper_timing();
                t.double_buffer = twice;
                auto const w = work(inputs, outputs, order, order == LoopOrder::res ? 4096 : 1024);
                auto const walk = walk_of(w);
                double const expected = gemv_cycles(walk, t), got = static_cast<double>(cycles(w, t));
                double const edge = static_cast<double>(walk.row_activations) +
                                    300.0;  // a cycle per visit, and the ends of the pipeline
                EXPECT_NEAR(got, expected, edge + 0.01 * expected) << static_cast<int>(order) << twice << " " << inputs;
            }
        }
    }
}

TEST(PimChannel, issues_the_commands_the_walk_counts) {
    std::mt19937_64 random(3);
    for (int trial = 0; trial < 300; ++trial) {
        BankWork w;
        w.burst_bytes = 32;
        w.row_bytes = 1024 << random() % 3;
        w.column_bytes = 32 * static_cast<std::int64_t>(1 + random() % 300);
        w.columns = static_cast<std::int64_t>(1 + random() % 60);
        w.buffer_bytes = 32 * static_cast<std::int64_t>(1 + random() % 200);
        w.order = static_cast<LoopOrder>(random() % 3);
        if (w.order == LoopOrder::res) w.buffer_bytes = std::max(w.buffer_bytes, w.column_bytes);
        auto t = paper_timing();
        t.double_buffer = random() % 2 == 0;
        PimChannel channel(t, 0, 0);
        channel.execute(runs_of(w));
        auto const walk = walk_of(w);
        ASSERT_EQ(channel.commands().macs, walk.macs);
        ASSERT_EQ(channel.commands().row_activations, walk.row_activations);
        ASSERT_EQ(channel.commands().precharges, walk.row_activations);
        ASSERT_EQ(channel.commands().buffer_writes, walk.buffer_writes);
        ASSERT_EQ(channel.commands().mac_reads, walk.mac_reads);
    }
}

/// One MAC at a time in exact arithmetic on tenths of a cycle: rows of `macs` bursts, x already in the buffer.
std::int64_t slow_rows(std::int64_t rows, std::int64_t macs, std::int64_t tenths, std::int64_t interval,
                       std::int64_t time, std::int64_t phase, std::int64_t& refreshes) {
    auto const edge = [](std::int64_t t) { return (t + 9) / 10 * 10; };
    std::int64_t deadline = (interval - phase) * 10, closed = 0, opened = 0, last = -1000, next_mac = 0;
    bool open = false;
    refreshes = 0;
    auto const close = [&](std::int64_t not_before) {
        closed = edge(std::max({not_before, last + 40, opened + 340})) + 150;
        open = false;
    };
    auto const refresh = [&](std::int64_t at) {
        if (open) close(at);
        closed = edge(std::max({at, deadline, closed})) + time * 10;
        deadline += interval * 10;
        ++refreshes;
    };
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t mac = 0; mac < macs;) {
            if (!open) {
                while (closed >= deadline) refresh(closed);
                opened = closed;
                next_mac = opened + 150;
                open = true;
            }
            std::int64_t const at = std::max(next_mac, last + tenths);
            if (at >= deadline) {
                refresh(deadline);
                continue;
            }
            last = at;
            ++mac;
        }
        close(last);
    }
    while (closed >= deadline) refresh(closed);
    return (closed + 9) / 10;
}

TEST(PimChannel, agrees_with_one_mac_at_a_time_under_refresh) {
    std::mt19937_64 random(11);
    for (int trial = 0; trial < 500; ++trial) {
        std::int64_t const rows = static_cast<std::int64_t>(1 + random() % 60),
                           macs = static_cast<std::int64_t>(1 + random() % 64);
        std::int64_t const tenths = 10 + static_cast<std::int64_t>(random() % 60),
                           interval = 600 + static_cast<std::int64_t>(random() % 3000);
        std::int64_t const time = 50 + static_cast<std::int64_t>(random() % 300),
                           phase = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(interval));
        auto t = paper_timing(static_cast<double>(tenths) / 10);
        t.buffer_write = 0;
        PimChannel channel(t, interval, time, phase);
        BankWork w{macs * 32, rows, macs * 32, 32, macs * 32, LoopOrder::kseg};
        channel.execute(runs_of(w));
        std::int64_t refreshes = 0;
        ASSERT_EQ(channel.cycles(), slow_rows(rows, macs, tenths, interval, time, phase, refreshes)) << trial;
        ASSERT_EQ(channel.commands().refreshes, refreshes);
        ASSERT_EQ(channel.phase(), (channel.cycles() + phase) % interval);
    }
}

TEST(PimChannel, two_products_in_a_row_take_what_one_channel_takes_for_both) {
    auto const t = paper_timing();
    auto const w = work(768, 768);
    PimChannel both(t, 3125, 304);
    both.execute(runs_of(w));
    std::int64_t const first = both.cycles(), phase = both.phase();
    PimChannel second(t, 3125, 304, phase);
    second.execute(runs_of(w));
    EXPECT_EQ(first, cycles(w, t, 3125, 304));
    EXPECT_GT(second.cycles(), 2300);
}

}  // namespace
}  // namespace pimdse::sim::pim::pim_channel_test
