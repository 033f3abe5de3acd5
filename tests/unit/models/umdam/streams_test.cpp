#include "models/umdam/streams.hpp"

#include "requested.hpp"
#include "tests/support/campaign.hpp"

#include <cmath>

namespace pimdse::models::umdam::streams_test {
namespace {

using sim::dram::Access;
using tests::Setting;

/// Cycles of a transfer at a fidelity, everything else at its default but what is set. 16 Gbit and the paper's machine.
struct Bench : testing::Requested {
    using Requested::Requested;
    [[nodiscard]] sim::Bounded cycles(double bytes, Fidelity fidelity, Access access = Access::read) const {
        return Streams(prepared().streams, prepared().machine,
                       {system.design, system.standard, *system.timing_set, *system.mapping}, fidelity)
            .run(bytes, access)
            .cycles;
    }
    [[nodiscard]] double gigabytes_per_second(double bytes, Fidelity fidelity) const {
        return bytes / (cycles(bytes, fidelity).value * 1.25e-9) / 1e9;
    }
};

Bench bench_with(Setting const& more) {
    return Bench(tests::with({{"density", "16"}, {"baseline", "npu_only"}, {"llm", "opt-125m"}}, more));
}

constexpr double bytes = 32 << 20;

TEST(Streams, reach_the_bandwidths_of_the_table_of_orders) {
    EXPECT_NEAR(bench_with({{"dram", "L5A"}}).gigabytes_per_second(bytes, Fidelity::cycle), 23.43, 23.43 * 0.02);
    EXPECT_NEAR(bench_with({{"dram", "L5J"}}).gigabytes_per_second(bytes, Fidelity::cycle), 46.9, 46.9 * 0.02);
    EXPECT_NEAR(bench_with({{"dram", "L5A"}, {"mapping", "conventional"}}).gigabytes_per_second(bytes, Fidelity::cycle),
                23.43, 23.43 * 0.02);
    EXPECT_NEAR(bench_with({{"dram", "L5J"}, {"mapping", "conventional"}}).gigabytes_per_second(bytes, Fidelity::cycle),
                46.7, 46.7 * 0.02);
    EXPECT_NEAR(
        bench_with({{"dram", "L5A"}, {"mapping", "channel_msb"}}).gigabytes_per_second(bytes / 4, Fidelity::cycle),
        5.86, 5.86 * 0.02);
    EXPECT_NEAR(
        bench_with({{"dram", "L5J"}, {"mapping", "channel_msb"}}).gigabytes_per_second(bytes / 4, Fidelity::cycle),
        11.7, 11.7 * 0.02);
    // the row below bank and column: one bank at a time opens a row for every burst
    EXPECT_NEAR(bench_with({{"dram", "L5J"}, {"mapping", "of5 ch2 ro16 bg2 ba2 co6"}})
                    .gigabytes_per_second(bytes / 16, Fidelity::cycle),
                1.94, 1.94 * 0.02);
}

TEST(Streams, lose_to_refresh_what_the_closed_form_says) {
    for (auto const& [density, share] :
         {std::pair{"16", 0.9141}, {"8", 1.0 - (168 + 45) / 3125.0}, {"32", 1.0 - (304 + 45) / 3125.0}}) {
        auto const with = bench_with({{"density", density}}),
                   without = bench_with({{"density", density}, {"refresh", "none"}});
        double const kept = without.cycles(bytes, Fidelity::cycle).value / with.cycles(bytes, Fidelity::cycle).value;
        EXPECT_NEAR(kept, share, share * 0.003) << density;
        EXPECT_NEAR(1.0 - refresh_share(with.system.standard), share, 0.0005);
    }
}

bool equal(StreamRun const& one, StreamRun const& other) {
    return one.cycles.value == other.cycles.value && one.row_activations.value == other.row_activations.value;
}

TEST(Streams, that_were_foreseen_take_what_each_takes_on_its_own) {
    tests::Turns turns(5);
    std::vector<double> const lengths{100 << 10, 128 << 10, 256 << 10, 1 << 20, (1 << 20) + 96, 6 << 20};
    for (auto const* engines : {"1", "2", "4", "8"}) {
        for (auto const* mapping : {"umdam", "conventional", "row-colm-channel-bank-group-coll x.ba.ro.6.1"}) {
            for (auto const* channels : {"1", "4"}) {
                if (!turns.next()) continue;
                auto const bench = bench_with({{"engines", engines}, {"mapping", mapping}, {"channels", channels}});
                auto const& prepared = prepared_of(bench.inputs);
                StreamMemory const empty;
                StreamSurroundings const on{bench.system.design, bench.system.standard, *bench.system.timing_set,
                                            *bench.system.mapping};
                Streams presimulated(prepared.streams, prepared.machine, on, Fidelity::cycle);
                presimulated.presimulate(lengths);
                Streams const alone(empty, prepared.machine, on, Fidelity::cycle);
                for (double const length : lengths) {
                    EXPECT_TRUE(equal(presimulated.run(length, Access::read), alone.run(length, Access::read)))
                        << engines << " engines, " << mapping << ", " << channels << " channels, " << length;
                    EXPECT_TRUE(equal(presimulated.run(length, Access::write), alone.run(length, Access::write)));
                }
            }
        }
    }
}

TEST(Streams, are_periodic_without_refresh) {
    double const rows = 4096.0 * 32;  // one row of every bank
    for (auto const& [mapping, period, tolerance] :
         {std::tuple{"umdam", 2048.0, 0.0}, {"conventional", 2058.0, 0.005}}) {
        auto const bench = bench_with({{"mapping", mapping}, {"refresh", "none"}});
        double const eight = bench.cycles(8 * rows, Fidelity::cycle).value,
                     four = bench.cycles(4 * rows, Fidelity::cycle).value;
        EXPECT_NEAR((eight - four) / 4, period, period * tolerance) << mapping;
    }
}

TEST(Streams, of_four_engines_meet_in_one_bank_unless_the_bank_is_hashed) {
    double const plain = bench_with({{"engines", "4"}}).gigabytes_per_second(bytes, Fidelity::cycle);
    double const hashed = bench_with({{"engines", "4"}, {"mapping", "of5 co3 ch2 bg2 ba2 co3 ro16 x.ba.ro.6.2"}})
                              .gigabytes_per_second(bytes, Fidelity::cycle);
    EXPECT_NEAR(hashed, 46.4, 46.4 * 0.05);
    // 30.9 with a controller that serves hits first; this one serves the oldest ready command (README.md)
    EXPECT_NEAR(plain, 27.2, 27.2 * 0.03);
}

TEST(Streams, copy_in_chunks_costs_little_more_than_read_and_write) {
    double const chunk = 2 << 20;
    for (auto const& [more, ratio] :
         {std::pair{Setting{{"dram", "L5A"}}, 3.01}, {Setting{{"mapping", "conventional"}}, 3.03}}) {
        auto const bench = bench_with(more);
        double const read = bench.cycles(chunk, Fidelity::cycle).value,
                     write = bench.cycles(chunk, Fidelity::cycle, Access::write).value;
        EXPECT_NEAR(1 + (read + write) / read, ratio, ratio * 0.01);
    }
}

TEST(Streams, are_estimated_within_their_bounds_at_every_length) {
    for (auto const* mapping : {"umdam", "conventional", "channel_msb", "row-bank-channel-group-colm-coll"}) {
        auto const bench = bench_with({{"mapping", mapping}});
        for (double const length : {32.0, 16384.0, 300000.0, 5e6, 14155776.0}) {
            for (auto const access : {Access::read, Access::write}) {
                double const exact = bench.cycles(length, Fidelity::cycle, access).value;
                auto const range = bench.cycles(length, Fidelity::analytic, access);
                EXPECT_LE(range.lower, exact) << mapping << length;
                EXPECT_GE(range.upper, exact) << mapping << length;
                EXPECT_LE(range.lower, range.value);
                EXPECT_LE(range.value, range.upper);
            }
        }
    }
}

/// One pass over the longest is each on its own, wherever the prefixes end: in the part that repeats itself, behind it,
/// within one burst of each other, and at the first burst.
TEST(Streams, that_grow_are_simulated_in_one_pass_and_alike) {
    for (auto const& more : {Setting{}, Setting{{"refresh", "none"}}, Setting{{"mapping", "channel_msb"}},
                             Setting{{"baseline", "no_interleave"}}, Setting{{"scheduler", "frfcfs"}}}) {
        auto const bench = bench_with(more);
        auto const& prepared = prepared_of(bench.inputs);
        for (auto const& lengths :
             {std::vector<double>{32, 64, 1000, 70000, 200000}, std::vector<double>{6e6, 6e6 + 32, 6.1e6, 6.5e6}}) {
            Streams streams(
                prepared.streams, prepared.machine,
                {bench.system.design, bench.system.standard, *bench.system.timing_set, *bench.system.mapping},
                Fidelity::cycle);
            streams.presimulate(lengths);
            for (double const length : lengths) {
                auto const alone = bench_with(more).cycles(length, Fidelity::cycle);
                EXPECT_EQ(streams.run(length, Access::read).cycles.value, alone.value) << length;
            }
        }
    }
}

TEST(Streams, of_several_engines_are_told_apart_in_closed_form) {
    for (char const* const mapping : {"umdam", "conventional"}) {
        for (char const* const engines : {"2", "4", "7"}) {
            for (char const* const depth : {"16", "32", "64"}) {
                auto const bench = bench_with({{"mapping", mapping}, {"engines", engines}, {"queue_depth", depth}});
                double const share =
                    bench.cycles(bytes, Fidelity::analytic).value / bench.cycles(bytes, Fidelity::cycle).value;
                EXPECT_GT(share, 0.5) << mapping << " " << engines << " " << depth;
                EXPECT_LT(share, 3.0) << mapping << " " << engines << " " << depth;
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::umdam::streams_test
