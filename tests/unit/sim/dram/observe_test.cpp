#include "models/dram/dram_standard.hpp"
#include "random_cases.hpp"
#include "sim/dram/counters.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/stream.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace pimdse::sim::dram::test::observe_test {
namespace {

TEST(Latencies, give_exact_percentiles_below_4096_and_steps_of_a_64th_above) {
    Latencies l;
    EXPECT_FALSE(l.percentile(0.5)) << "there are no reads";
    for (Tick t = 1; t <= 1000; ++t) l.add(t);
    EXPECT_EQ(l.percentile(0.5), 500);
    EXPECT_EQ(l.percentile(0.99), 990);
    EXPECT_EQ(l.percentile(1.0), 1000);
    l.add(1000000);
    EXPECT_LE(l.percentile(1.0), 1000000);
    EXPECT_GT(l.percentile(1.0), 1000000 - 1000000 / 64);
    EXPECT_EQ(l.count(), 1001U);
}

TEST(Latencies, repeat_what_was_gained) {
    Latencies earlier, now;
    earlier.add(5);
    now.add(5);
    now.add(7);
    now.repeat(earlier, 3);
    EXPECT_EQ(now.count(), 5U);
    EXPECT_EQ(now.percentile(0.3), 7);
}

struct Observed {
    Standard standard;
    Counters counters;
    [[nodiscard]] double share(BusUse cause) const {
        auto const all = std::accumulate(counters.bus_use.begin(), counters.bus_use.end(), std::uint64_t{0});
        return static_cast<double>(counters.bus_use[static_cast<std::size_t>(cause)]) / static_cast<double>(all);
    }
};

Observed observe(char const* name, char const* mapping, char const* spec, Options options = {}) {
    auto standard = models::load_dram_standard(name);
    options.observe = Observe::everything;
    auto counters = simulate(standard, parse_mapping(mapping, standard.organisation),
                             parse_stream(spec, standard.organisation.burst_bytes), options);
    return {std::move(standard), std::move(counters)};
}

TEST(BusCycles, are_all_accounted_for_and_watching_changes_nothing) {
    for (unsigned seed = 0; seed < 150; ++seed) {
        auto const random = random_case(seed % 3 == 0   ? "L5J"
                                        : seed % 3 == 1 ? "D4_2400"
                                                        : "HBM2_2000",
                                        seed, Timings::as_given, 1500);
        auto const stream = Stream::list(random.transactions, random.standard.organisation.burst_bytes);
        auto options = random.options;
        auto const blind = simulate(random.standard, random.mapping, stream, options);
        options.observe = Observe::everything;
        auto seen = simulate(random.standard, random.mapping, stream, options);
        auto const& o = random.standard.organisation;
        auto const ports =
            static_cast<std::uint64_t>(o.channels * (random.standard.family == Family::hbm2 ? o.ranks : 1));
        EXPECT_EQ(std::accumulate(seen.bus_use.begin(), seen.bus_use.end(), std::uint64_t{0}),
                  ports * static_cast<std::uint64_t>(seen.cycles))
            << random.what;
        EXPECT_EQ(seen.latencies.count(), seen.reads);
        seen.bus_use = {};
        seen.latencies = {};
        EXPECT_TRUE(seen == blind) << random.what;
    }
}

TEST(BusCycles, go_to_the_cause_that_is_known) {
    // A saturated stream has only transfers and refresh.
    auto const stream = observe("L5B", "RoBaRaCoCh", "seq:16777216");
    EXPECT_GT(stream.share(BusUse::transfer), 0.93);
    EXPECT_NEAR(stream.share(BusUse::refresh), 203.0 / 3125.0, 0.02);
    // One bank, a different row each time.
    EXPECT_GT(observe("L5B", "ChRaBaRoCo", "stride:2048:4000").share(BusUse::bank_conflict), 0.2);
    // Two column commands to one group take twice the time of a burst.
    EXPECT_GT(observe("L5J", "of5 ch2 co6 bg2 ba2 ro15", "seq:1048576").share(BusUse::bank_group), 0.05);
    EXPECT_GT(observe("L5J", "umdam", "copy:4194304:1073741824:0").share(BusUse::turnaround), 0.03);
    EXPECT_GT(observe("L5B", "RoBaRaChCo", "seq:4194304").share(BusUse::head_of_line), 0.3);
}

TEST(Energy, is_counted_per_command) {
    auto const run = observe("L5J", "umdam", "copy:1048576:1073741824:0");
    auto const& c = run.counters;
    auto const e = energy(c, run.standard);
    EXPECT_NEAR(e.activate.si, static_cast<double>(c.row_activations) * 2.95e-9, 1e-12);
    EXPECT_NEAR(e.array.si, static_cast<double>(c.read_commands + c.write_commands) * 2.14e-12 * 256, 1e-12);
    EXPECT_NEAR(e.total().si, e.activate.si + e.array.si + e.transfer.si + e.refresh.si, 1e-15);
    EXPECT_EQ(c.row_activations, c.misses + c.conflicts);
}

}  // namespace
}  // namespace pimdse::sim::dram::test::observe_test
