#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/analytic.hpp"
#include "models/dplena/cycle.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/dplena/costs_within_bounds.hpp"
#include "tests/unit/models/dplena/random_designs.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace clocks_test {
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
    EXPECT_EQ(t.same_group, 4) << "as a controller of such a memory at 3.2 Gb/s has it";
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

/// A design with HBM2 and with HBM2e.
struct BothGenerations {
    support::BothCosts hbm2, hbm2e;
};

BothGenerations of_both_generations(Design d) {
    auto const costs = [&](HbmGeneration generation) {
        d.generation_of_hbm = generation;
        return support::costs_within_bounds(Program(d, support::machine().costs));
    };
    return {costs(HbmGeneration::hbm2), costs(HbmGeneration::hbm2e)};
}

/// Random short programs, a quarter of them with logits without scales.
template <class Check>
void for_both_generations(std::uint64_t seed, int count, Check check) {
    Rng rng(seed);
    support::Sizes const sizes{1, 4000, 1'000'000};
    for (auto const kind : {Kind::serial, Kind::overlapped, Kind::refreshing, Kind::everything}) {
        auto const compare = [&](Design d, Program const&) {
            if (rng.below(4) == 0) d.element = Element::bf16;
            SCOPED_TRACE(support::told(d));
            check(of_both_generations(d));
        };
        support::for_random_designs(seed, count, kind, compare, sizes);
    }
}

/// Where HBM2e is not slower, the closed form says so, up to 3 % of the time (of 895 designs the worst took 2.2 %); and
/// it errs as little as that of HBM2, up to a quarter more.
TEST(DplenaClocks, have_closed_forms_that_order_the_generations) {
    int compared = 0;
    double errors_of_hbm2 = 0.0, errors_of_hbm2e = 0.0;
    auto const error = [](support::BothCosts const& c) {
        return std::fabs(c.analytic.total.value / c.exact.total.value - 1.0);
    };
    for_both_generations(85, 20, [&](BothGenerations const& costs) {
        auto const& [slow, fast] = costs;
        errors_of_hbm2 += error(slow);
        errors_of_hbm2e += error(fast);
        if (fast.exact.total.value > slow.exact.total.value) return;
        EXPECT_LE(fast.analytic.total.value, 1.03 * slow.analytic.total.value);
        ++compared;
    });
    EXPECT_GE(compared, pimdse::tests::draws(40));
    EXPECT_LE(errors_of_hbm2e, 1.25 * errors_of_hbm2);
}

/// Memory cycles within 5 % of the simulated ones, by default and for short prefetches.
TEST(DplenaClocks, of_hbm2e_have_a_closed_form_near_the_default) {
    using support::Settings;
    Settings const machine{{"hbm", "hbm2e"}, {"hbm_bus", "corrected"}};
    for (auto const& settings : {Settings{{"refresh", "on"}}, Settings{{"refresh", "off"}},
                                 Settings{{"refresh", "on"},
                                          {"mode", "edge"},
                                          {"vlen", "64"},
                                          {"batch", "2"},
                                          {"vocab", "2048"},
                                          {"v_chunk", "128"},
                                          {"prefetch", "1"}}}) {
        auto const of = support::with(settings, machine);
        auto const exact = value(of, "cycles_memory", Fidelity::cycle);
        EXPECT_NEAR(value(of, "cycles_memory"), exact, 0.05 * exact);
    }
}

/// What is faster draws more while it waits, and a bit takes the same energy.
TEST(DplenaClocks, of_hbm2e_cost_power) {
    using support::Settings;
    Settings const slow{{"hbm", "hbm2"}}, fast{{"hbm", "hbm2e"}};
    auto const& stack = support::machine().stack;
    double const channels = static_cast<double>(support::design(fast).channels);
    double const standing = (stack.channel_standing_hbm2e - stack.channel_standing).si * channels;
    double const standby = (stack.standby_hbm2e - 1.0) * stack.closed_standby.si * 2.0 * channels;
    EXPECT_GT(standing, 0.0);
    EXPECT_GT(standby, 0.0);
    EXPECT_NEAR(value(fast, "idle_power") - value(slow, "idle_power"), standing + standby, 1e-9);
    EXPECT_EQ(value(fast, "hbm_energy"), value(slow, "hbm_energy"));
    EXPECT_GT(value(fast, "package_power", Fidelity::cycle), value(slow, "package_power", Fidelity::cycle));
}

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
}  // namespace clocks_test
