
#include "dse/space/evaluation.hpp"
#include "tests/unit/dse/made_up_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace pimdse::dse::space {
namespace {

using models::Bound;
using models::Estimate;
using models::Fidelity;
using models::MetricList;
using models::Metrics;
using ::testing::HasSubstr;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();

MetricList named(std::size_t count) {
    MetricList list;
    for (std::size_t i = 0; i < count; ++i) list.push_back({"m" + std::to_string(i), "s", ""});
    return list;
}

HybridLevel level_of(Metrics const& metrics, double tolerance, std::vector<std::size_t> const& counted = {}) {
    return hybrid_level(named(metrics.size()), metrics, tolerance, counted);
}

Estimate around(double value, double lower, double upper, sim::BoundKinds kinds = Bound::proved) {
    return Estimate::within(value, lower, upper, kinds);
}

TEST(HybridLevel, is_the_closed_form_where_every_interval_is_within_the_tolerance) {
    Metrics const metrics{around(100, 99, 102), Estimate::exact(7), around(-10, -10.1, -10)};
    auto const wide = level_of(metrics, 0.02);
    EXPECT_EQ(wide.fidelity, Fidelity::cycle);
    EXPECT_EQ(wide.metric, "m0");
    EXPECT_DOUBLE_EQ(wide.widest, 0.03);
    EXPECT_THAT(wide.why, HasSubstr("simulated: m0 is known within 3 % only"));
    auto const close = level_of(metrics, 0.03);
    EXPECT_EQ(close.fidelity, Fidelity::analytic);
    EXPECT_THAT(close.why, HasSubstr("closed form: its intervals are within 3 % (proved)"));
    EXPECT_EQ(level_of(metrics, 0.01, {1}).fidelity, Fidelity::analytic) << "only the metrics that count";
    EXPECT_EQ(level_of(metrics, 0.0101, {1, 2}).fidelity, Fidelity::analytic);
    EXPECT_EQ(level_of(metrics, 0.0099, {1, 2}).fidelity, Fidelity::cycle);
}

TEST(HybridLevel, says_whether_an_interval_that_counts_is_calibrated) {
    EXPECT_FALSE(level_of({around(100, 99, 101, {Bound::proved, Bound::calibrated})}, 0.1).proved);
    EXPECT_THAT(level_of({around(100, 99, 101, Bound::calibrated)}, 0.1).why, HasSubstr("(calibrated)"));
    EXPECT_TRUE(level_of({around(5, 5, 5, Bound::calibrated), around(9, 9, 9.1)}, 0.1).proved) << "5 is exact";
}

TEST(HybridLevel, is_the_simulation_where_an_end_is_open_unless_any_error_is_allowed) {
    for (auto const& open : {around(1, 1, 1, {Bound::proved, Bound::none}),
                             around(1, 1, 1, {Bound::none, Bound::proved}), around(0, 0, 1), around(1, 1, infinite)}) {
        EXPECT_EQ(level_of({open}, 1e9).fidelity, Fidelity::cycle);
        EXPECT_EQ(level_of({open}, infinite).fidelity, Fidelity::analytic);
    }
    EXPECT_EQ(level_of({around(0, 0, 0)}, 0.0).fidelity, Fidelity::analytic);
}

TEST(HybridLevel, leaves_out_metrics_without_bounds_and_simulates_if_no_other_counts) {
    Metrics const metrics{Estimate::unbounded(3), around(none, none, none, Bound::none), around(10, 9.99, 10.01)};
    EXPECT_EQ(level_of(metrics, 0.01).fidelity, Fidelity::analytic);
    EXPECT_EQ(level_of(metrics, 0.01, {0}).fidelity, Fidelity::cycle);
    EXPECT_EQ(level_of(metrics, 0.01, {1}).fidelity, Fidelity::cycle);
    EXPECT_THAT(level_of(metrics, 0.01, {1}).why, HasSubstr("simulated"));
}

TEST(HybridLevel, simulates_no_point_that_is_ruled_out_and_every_point_that_fails) {
    EXPECT_EQ(hybrid_level(named(1), models::Infeasible{"fits", "does not fit"}, 0.0).fidelity, Fidelity::analytic);
    EXPECT_EQ(hybrid_level(named(1), models::Defect{"broken"}, infinite).fidelity, Fidelity::cycle);
}

/// Whatever the intervals and wherever the cycle level lies in them: tolerance 0 leaves only exact closed forms, an
/// infinite one leaves them all, and what is chosen differs from the cycle level by at most the tolerance.
TEST(HybridLevel, never_differs_from_the_cycle_level_by_more_than_the_tolerance) {
    std::mt19937 random(17);
    std::uniform_real_distribution<double> share(0.0, 1.0);
    int closed = 0, simulated = 0;
    for (int round = 0; round < 2000; ++round) {
        double const scale = std::pow(10.0, -4.0 * share(random));
        Metrics metrics, truth;
        for (int i = 0; i < 3; ++i) {
            double const value = (share(random) - 0.5) * 100.0, size = std::abs(value);
            bool const exact = share(random) < 0.3;
            double const lower = exact ? value : value - scale * size * share(random);
            double const upper = exact ? value : value + scale * size * share(random);
            metrics.push_back(around(value, lower, upper, share(random) < 0.5 ? Bound::proved : Bound::calibrated));
            truth.push_back(Estimate::exact(lower + (upper - lower) * share(random)));
        }
        bool const all_exact = std::ranges::all_of(metrics, [](auto const& e) { return e.lower == e.upper; });
        EXPECT_EQ(level_of(metrics, 0.0).fidelity, all_exact ? Fidelity::analytic : Fidelity::cycle);
        EXPECT_EQ(level_of(metrics, infinite).fidelity, Fidelity::analytic);
        double const tolerance = std::pow(10.0, -4.0 * share(random));
        bool const coarse = level_of(metrics, tolerance).fidelity == Fidelity::analytic;
        ++(coarse ? closed : simulated);
        auto const& chosen = coarse ? metrics : truth;
        for (std::size_t i = 0; i < metrics.size(); ++i)
            EXPECT_LE(std::abs(chosen[i].value - truth[i].value),
                      tolerance * std::abs(chosen[i].value) * (1 + 1e-12) + 1e-300);
    }
    EXPECT_GT(closed, 200);
    EXPECT_GT(simulated, 200);
}

TEST(HybridLevel, keeps_its_promise_for_every_point_of_a_machine) {
    auto const machine =
        testing::made_up_machine({.rows = testing::up_to(12), .depth = testing::up_to(12), .modes = 2});
    auto const metrics = machine.metrics();
    for (double const tolerance : {0.0, 0.15, 0.3, infinite}) {
        for (std::int64_t rows = 1; rows <= 12; ++rows) {
            std::vector<models::Value> point;
            for (auto const& parameter : machine.parameters()) point.push_back(parameter.default_value);
            point[0] = models::Value::integer(rows);
            auto const at = [&](Fidelity fidelity) { return outcomes_of(machine, {point}, fidelity, 1).front(); };
            auto const coarse = at(Fidelity::analytic), fine = at(Fidelity::cycle);
            auto const level = hybrid_level(metrics, coarse, tolerance);
            EXPECT_EQ(level.fidelity, tolerance < 0.2 ? Fidelity::cycle : Fidelity::analytic) << tolerance;
            auto const& chosen = std::get<Metrics>(level.fidelity == Fidelity::cycle ? fine : coarse);
            for (std::size_t i = 0; i < metrics.size(); ++i)
                EXPECT_LE(std::abs(chosen[i].value - std::get<Metrics>(fine)[i].value), tolerance * chosen[i].value);
        }
    }
}

}  // namespace
}  // namespace pimdse::dse::space
