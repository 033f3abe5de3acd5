#include "sim/pim/bank_work.hpp"
#include "paper_timing.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace pimdse::sim::pim::bank_work_test {
namespace {

/// A matrix of fp16 weights in tiles of 128 x 64, as one bank sees it.
BankWork work(std::int64_t inputs, std::int64_t outputs, LoopOrder order = LoopOrder::kseg,
              std::int64_t buffer_elements = 1024) {
    return {(inputs + 127) / 128 * 256, (outputs + 63) / 64, 2048, 32, buffer_elements * 2, order};
}

PimTiming timing(double interval = 3.2) {
    auto t = test::paper_pim_timing();
    t.mac_interval = interval;
    return t;
}

double gigabytes_per_second(double bytes, double cycles) { return bytes / (cycles * 1.25e-9) / 1e9; }

TEST(Pim, opens_a_row_for_the_cycles_the_equations_say) {
    EXPECT_NEAR(row_visit_cycles(timing(3.2), 64), 235.6, 1e-9);
    EXPECT_NEAR(row_visit_cycles(timing(4.0), 64), 286.0, 1e-9);
}

TEST(Pim, a_single_mac_waits_for_the_row_to_be_restored) { EXPECT_NEAR(row_visit_cycles(timing(), 1), 34 + 15, 1e-9); }

TEST(Pim, multiplies_4096x4096_at_443_gigabytes_per_second) {
    auto const walk = walk_of(work(4096, 4096));
    double const bytes = 4096.0 * 4096 * 2;
    EXPECT_NEAR(gigabytes_per_second(bytes, gemv_cycles(walk, timing(3.2))), 443.2, 443.2 * 0.005);
    EXPECT_NEAR(gigabytes_per_second(bytes, gemv_cycles(walk, timing(4.0))), 365.4, 365.4 * 0.005);
    auto single = timing(3.2);
    single.double_buffer = false;
    EXPECT_NEAR(gigabytes_per_second(bytes, gemv_cycles(walk_of(work(4096, 4096, LoopOrder::nat)), single)), 213,
                213 * 0.005);
}

TEST(Pim, visits_768x768_eighteen_times_by_column_and_nine_times_in_storage_order) {
    auto t = timing();
    t.buffer_write = 0;
    auto const by_column = walk_of(work(768, 768));
    auto const by_row = walk_of(work(768, 768, LoopOrder::res));
    EXPECT_EQ(by_column.row_activations, 18);
    EXPECT_EQ(by_row.row_activations, 9);
    EXPECT_NEAR(gemv_cycles(by_column, t), 2397.6, 1e-6);
    EXPECT_NEAR(gemv_cycles(by_row, t), 2120.4, 1e-6);
}

TEST(Pim, refills_the_buffer_for_every_row_only_where_it_must) {
    EXPECT_EQ(walk_of(work(4096, 4096, LoopOrder::nat)).buffer_writes, 64 * 256);
    EXPECT_EQ(walk_of(work(4096, 4096, LoopOrder::kseg)).buffer_writes, 256);
    EXPECT_EQ(walk_of(work(768, 768, LoopOrder::nat)).buffer_writes, 48);
    EXPECT_EQ(walk_of(work(4096, 4096, LoopOrder::res, 4096)).buffer_writes, 256);
    EXPECT_EQ(walk_of(work(4096, 4096, LoopOrder::kseg)).mac_reads, 64 * 4);
    EXPECT_EQ(walk_of(work(4096, 4096, LoopOrder::nat)).mac_reads, 64);
}

/// The same walk, one burst at a time: every burst of every column in the order PIM takes it, a visit per change of
/// row, segment or (column by column) column.
GemvWalk slow_walk(BankWork const& w) {
    std::map<std::int64_t, std::int64_t> visits;
    std::int64_t const column_bursts = w.column_bytes / w.burst_bytes, segment_bursts = w.buffer_bytes / w.burst_bytes;
    std::int64_t const segments = (column_bursts + segment_bursts - 1) / segment_bursts;
    std::int64_t open_row = -1, macs = 0;
    auto const close = [&] {
        if (macs > 0) ++visits[macs];
        macs = 0;
        open_row = -1;
    };
    auto const multiply = [&](std::int64_t column, std::int64_t burst) {
        std::int64_t const row = (column * column_bursts + burst) * w.burst_bytes / w.row_bytes;
        if (row != open_row) close();
        open_row = row;
        ++macs;
    };
    if (w.order == LoopOrder::kseg) {
        for (std::int64_t s = 0; s < segments; ++s) {
            for (std::int64_t c = 0; c < w.columns; ++c) {
                for (std::int64_t i = s * segment_bursts; i < std::min(column_bursts, (s + 1) * segment_bursts); ++i)
                    multiply(c, i);
                close();
            }
        }
    } else {
        for (std::int64_t c = 0; c < w.columns; ++c) {
            for (std::int64_t i = 0; i < column_bursts; ++i) multiply(c, i);
        }
        close();
    }
    GemvWalk walk;
    for (auto const& [length, count] : visits) {
        walk.visits.push_back({length, count});
        walk.macs += length * count;
        walk.row_activations += count;
    }
    return walk;
}

TEST(Pim, counts_visits_as_walking_burst_by_burst_does) {
    std::mt19937_64 random(7);
    for (int trial = 0; trial < 400; ++trial) {
        BankWork w;
        w.burst_bytes = 32;
        w.row_bytes = 1024 << random() % 3;
        w.column_bytes = 32 * static_cast<std::int64_t>(1 + random() % 300);
        w.columns = static_cast<std::int64_t>(1 + random() % 90);
        w.buffer_bytes = 32 * static_cast<std::int64_t>(1 + random() % 200);
        w.order = static_cast<LoopOrder>(random() % 3);
        auto const fast = walk_of(w), slow = slow_walk(w);
        ASSERT_EQ(fast.macs, slow.macs);
        ASSERT_EQ(fast.row_activations, slow.row_activations);
        ASSERT_EQ(fast.visits.size(), slow.visits.size());
        for (std::size_t i = 0; i < slow.visits.size(); ++i) {
            ASSERT_EQ(fast.visits[i].macs, slow.visits[i].macs);
            ASSERT_EQ(fast.visits[i].count, slow.visits[i].count);
        }
    }
}

}  // namespace
}  // namespace pimdse::sim::pim::bank_work_test
