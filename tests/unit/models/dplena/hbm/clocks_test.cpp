#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/analytic.hpp"
#include "models/dplena/cycle.hpp"
#include "tests/unit/models/dplena/costs_within_bounds.hpp"
#include "tests/unit/models/dplena/random_designs.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace {

using namespace pimdse::models;
using namespace pimdse::models::dplena;
using support::Kind;
using support::Rng;
using support::value;

HbmTiming const& hbm2() { return support::machine().hbm.timing; }

TEST(DplenaClocks, wait_for_the_next_edge_and_never_go_back) {
    for (std::int64_t const frequency : {0, 100, 333, 500, 640, 999, 1000}) {
        for (auto const generation : {HbmGeneration::hbm2, HbmGeneration::hbm2e}) {
            Clocks const clocks(frequency, generation, hbm2());
            double const units = frequency > 0 ? static_cast<double>(frequency) : 1000.0;
            double const hbm = generation == HbmGeneration::hbm2 ? 1000.0 : 1600.0;
            EXPECT_NEAR(clocks.cycles_per_tick(), units / hbm, 1e-12);
            for (std::int64_t at = 0; at < 500; ++at) {
                auto const tick = clocks.tick_of(at), cycle = clocks.cycle_of(at);
                EXPECT_GE(static_cast<double>(tick) / hbm, static_cast<double>(at) / units - 1e-12);
                EXPECT_LT(static_cast<double>(tick - 1) / hbm, static_cast<double>(at) / units);
                EXPECT_GE(static_cast<double>(cycle) / units, static_cast<double>(at) / hbm - 1e-12);
                EXPECT_LT(static_cast<double>(cycle - 1) / units, static_cast<double>(at) / hbm);
                EXPECT_GE(clocks.tick_of(cycle), at) << "a fetch after the end of one is no earlier tick";
            }
        }
    }
}

TEST(DplenaClocks, of_hbm2e_take_the_same_time_in_the_arrays) {
    auto const t = timing_of(hbm2(), HbmGeneration::hbm2e);
    EXPECT_EQ(t.read_latency, 12);
    EXPECT_EQ(t.row_cycle, 31);
    EXPECT_EQ(t.refresh_interval, 6240);
    EXPECT_EQ(t.bus, hbm2().bus);
    EXPECT_LE(t.activate_to_precharge, t.activate_to_read + t.read_latency + t.burst);
}

/// Designs with other clocks than the paper's.
template <class Check>
void for_clocks(std::uint64_t seed, int count, Kind kind, Check check) {
    Rng rng(seed);
    support::for_random_designs(seed, count, kind, [&](Design d, Program const&) {
        d.frequency = static_cast<double>(rng.below(5)) * 2e8;
        if (d.frequency == 0.0 || rng.below(2) == 0) d.generation_of_hbm = HbmGeneration::hbm2e;
        SCOPED_TRACE(support::told(d) + " at " + std::to_string(d.frequency));
        check(Program(d, support::machine().costs));
    });
}

void expect_bounds(std::uint64_t seed, int count, Kind kind) {
    for_clocks(seed, count, kind, [](Program const& program) {
        auto const [analytic, exact] = support::costs_within_bounds(program);
        EXPECT_NEAR(analytic.total.value, exact.total.value, 0.4 * exact.total.value);
    });
}

TEST(DplenaClocks, stay_within_bounds_without_overlap) { expect_bounds(81, 60, Kind::serial); }
TEST(DplenaClocks, stay_within_bounds_with_refresh) { expect_bounds(82, 40, Kind::refreshing); }
TEST(DplenaClocks, stay_within_bounds_with_overlap) { expect_bounds(83, 60, Kind::overlapped); }
TEST(DplenaClocks, stay_within_bounds_with_everything) { expect_bounds(84, 40, Kind::everything); }

TEST(DplenaClocks, change_the_time_of_what_they_drive) {
    using support::Settings;
    auto const of = [](Settings const& settings, char const* name) { return value(settings, name, Fidelity::cycle); };
    Settings const slow{{"frequency", "500 MHz"}}, fast{{"hbm", "hbm2e"}};
    EXPECT_EQ(of({{"frequency", "1 GHz"}}, "latency"), of({}, "latency"));
    EXPECT_EQ(of(slow, "cycles_vector"), of({}, "cycles_vector"));
    // Half of the cycles of the units' instructions, and about as much time of the HBM.
    double const instructions = of({}, "cycles_total") - of({}, "cycles_memory");
    EXPECT_NEAR(of(slow, "latency"), 2e-9 * instructions + 1e-9 * of({}, "cycles_memory"), 0.02e-3);
    EXPECT_NEAR(of(slow, "vector_power"), of({}, "vector_power") / 2.0, 1e-12);
    EXPECT_LT(of(fast, "cycles_memory"), of({}, "cycles_memory"));
    EXPECT_GT(of(fast, "cycles_memory"), of({}, "cycles_memory") / 1.6);
    for (auto const* bad : {"1 Hz", "50 MHz", "99.9 MHz", "800.5 MHz", "999.5 MHz"})
        EXPECT_EQ(support::broken_rule({{"frequency", bad}}), "frequency") << bad;
    for (auto const* good : {"0 MHz", "100 MHz", "801 MHz", "0.8 GHz", "1000 MHz"})
        EXPECT_EQ(support::broken_rule({{"frequency", good}}), "") << good;
}

}  // namespace
