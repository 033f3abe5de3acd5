#include "paper_timing.hpp"
#include "sim/pim/pim_channel.hpp"

#include <gtest/gtest.h>
#include <random>

/// Held against the channel that executes command by command.
namespace pimdse::sim::pim::pim_lower_bound_test {
namespace {

class Products {
  public:
    explicit Products(unsigned seed) : random_(seed) {}

    std::int64_t upto(std::int64_t max) { return 1 + static_cast<std::int64_t>(random_()) % max; }

    PimTiming timing() {
        auto t = test::paper_pim_timing();
        t.mac_interval = static_cast<double>(1000 + upto(9000)) / 1000.0;
        t.double_buffer = upto(2) == 1;
        t.buffer_write = static_cast<double>(upto(60)) / 10.0;
        t.stagger = static_cast<double>(upto(3) - 1);
        t.nRTP = static_cast<double>(upto(12));
        t.nRAS = static_cast<double>(upto(60));
        return t;
    }
    BankWork work() {
        std::int64_t const burst = 32, row = burst << upto(6);
        return {.column_bytes = burst * upto(150),
                .columns = upto(12),
                .row_bytes = row,
                .burst_bytes = burst,
                .buffer_bytes = burst * upto(80),
                .order = static_cast<LoopOrder>(upto(3) - 1)};
    }

  private:
    std::mt19937 random_;
};

std::int64_t executed(PimTiming const& timing, BankWork const& work, Operand operand, std::int64_t vectors) {
    auto runs = runs_of(work);
    for (auto& run : runs) run.starts_chunk = run.starts_chunk && operand == Operand::written;
    PimChannel channel(timing, 0, 0);
    channel.execute(runs, vectors);
    return channel.cycles();
}

std::string told(PimTiming const& t, BankWork const& w) {
    return "interval " + std::to_string(t.mac_interval) + ", write " + std::to_string(t.buffer_write) + ", columns " +
           std::to_string(w.columns) + " of " + std::to_string(w.column_bytes) + " in rows of " +
           std::to_string(w.row_bytes) + ", buffer " + std::to_string(w.buffer_bytes) + ", order " +
           std::to_string(static_cast<int>(w.order)) + (t.double_buffer ? ", two halves" : "");
}

TEST(PimLowerBound, is_never_above_what_a_channel_takes_and_often_near) {
    Products products(1);
    int near = 0, all = 0;
    for (int i = 0; i < 1500; ++i) {
        auto const timing = products.timing();
        auto const work = products.work();
        auto const vectors = products.upto(4);
        for (auto const operand : {Operand::written, Operand::present}) {
            double const lower = PimLowerBound(timing).cycles(walk_of(work), operand, vectors);
            auto const cycles = static_cast<double>(executed(timing, work, operand, vectors));
            ASSERT_LE(lower, cycles) << told(timing, work) << ", vectors " << vectors;
            ++all;
            near += lower > 0.9 * cycles ? 1 : 0;
        }
    }
    EXPECT_GT(2 * near, all);
}

TEST(PimLowerBound, of_visits_is_that_of_any_way_to_share_their_macs) {
    Products products(2);
    for (int i = 0; i < 1000; ++i) {
        PimLowerBound const lower(products.timing());
        double each = 0.0, macs = 0.0;
        auto const visits = products.upto(6);
        for (std::int64_t visit = 0; visit < visits; ++visit) {
            auto const own = static_cast<double>(products.upto(50));
            macs += own;
            each += lower.visit(own);
        }
        EXPECT_LE(lower.visits(static_cast<double>(visits), macs), each);
    }
}

TEST(PimReplay, starts_every_product_where_refresh_was_left) {
    Products products(3);
    for (int i = 0; i < 150; ++i) {
        auto const timing = products.timing();
        auto const interval = 2000 + products.upto(3000), time = products.upto(300);
        PimReplay replay(timing, interval, time);
        std::int64_t phase = 0;
        std::vector<BankWork> const works{products.work(), products.work()};
        for (int step = 0; step < 12; ++step) {
            auto const& work = works[static_cast<std::size_t>(products.upto(2) - 1)];
            auto const times = products.upto(4), vectors = products.upto(2);
            std::int64_t cycles = 0, row_activations = 0;
            for (std::int64_t t = 0; t < times; ++t) {
                PimChannel channel(timing, interval, time, phase);
                channel.execute(runs_of(work), vectors);
                cycles += channel.cycles();
                row_activations += channel.commands().row_activations;
                phase = channel.phase();
            }
            auto const spent = replay.run(work, Operand::written, vectors, times);
            ASSERT_EQ(spent.cycles, cycles) << told(timing, work);
            ASSERT_EQ(spent.row_activations, row_activations);
        }
    }
}

}  // namespace
}  // namespace pimdse::sim::pim::pim_lower_bound_test
