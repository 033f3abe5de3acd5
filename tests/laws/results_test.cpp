#include "models/catalogue.hpp"
#include "models/contract/parameter_text.hpp"
#include "random_point.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

namespace pimdse::laws::results_test {
namespace {

using models::Architecture;
using models::Bound;
using models::Fidelity;
using models::Metrics;

struct Case {
    Architecture const* architecture;
    Fidelity fidelity;
};

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (auto const& architecture : models::catalogue()) {
        for (auto const fidelity : architecture.fidelities) cases.push_back({&architecture, fidelity});
    }
    return cases;
}

class Law : public ::testing::TestWithParam<Case> {
  protected:
    Architecture const& architecture() const { return *GetParam().architecture; }
    Fidelity fidelity() const { return GetParam().fidelity; }
    /// Closed forms are tried on many points, simulations on a few.
    std::uint64_t points() const { return fidelity() == Fidelity::analytic ? tests::draws(200UL) : 3; }
    std::uint64_t changes() const { return fidelity() == Fidelity::analytic ? 6 : 1; }
    std::string shown(std::vector<models::Value> const& point) const { return laws::shown(inputs_.parameters, point); }
    models::Inputs inputs_ = models::prepare(architecture(), architecture().parameters());
};

TEST_P(Law, the_same_point_has_the_same_result_also_from_fresh_inputs) {
    auto const fresh = models::prepare(architecture(), architecture().parameters());
    for (std::uint64_t seed = 0; seed < points(); ++seed) {
        auto const point = random_point(inputs_.parameters, seed, changes());
        auto const a = architecture().evaluate(inputs_, point, fidelity());
        auto const b = architecture().evaluate(inputs_, point, fidelity());
        auto const c = architecture().evaluate(fresh, point, fidelity());
        ASSERT_EQ(a.index(), b.index()) << shown(point);
        ASSERT_EQ(a.index(), c.index()) << shown(point);
        if (auto const* metrics = std::get_if<Metrics>(&a)) {
            EXPECT_TRUE(same_bits(*metrics, std::get<Metrics>(b))) << shown(point);
            EXPECT_TRUE(same_bits(*metrics, std::get<Metrics>(c))) << shown(point);
        }
    }
}

TEST_P(Law, a_result_has_every_metric_inside_its_own_bounds) {
    std::uint64_t feasible = 0;
    for (std::uint64_t seed = 0; seed < points(); ++seed) {
        auto const point = random_point(inputs_.parameters, seed, changes());
        auto const outcome = architecture().evaluate(inputs_, point, fidelity());
        ASSERT_FALSE(std::holds_alternative<models::Defect>(outcome)) << shown(point);
        auto const* metrics = std::get_if<Metrics>(&outcome);
        if (metrics == nullptr) continue;
        ++feasible;
        ASSERT_EQ(metrics->size(), architecture().metrics().size());
        for (std::size_t i = 0; i < metrics->size(); ++i) {
            auto const& e = (*metrics)[i];
            if (std::isnan(e.value)) {
                EXPECT_EQ(e.kinds, Bound::none);
            } else {
                EXPECT_LE(e.lower, e.value) << architecture().metrics()[i].name << " at " << shown(point);
                EXPECT_GE(e.upper, e.value) << architecture().metrics()[i].name << " at " << shown(point);
            }
        }
    }
    EXPECT_GT(feasible, points() / 5);
}

bool is_name(std::string_view text) {
    return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == text.npos;
}

/// A reason states a figure, or the setting that has to change as NAME = VALUE.
bool states_a_fact(std::string_view reason) { return reason.find_first_of("0123456789=") != reason.npos; }

TEST_P(Law, an_impossible_design_has_a_rule_and_a_reason_and_no_breakdown) {
    int broken = 0;
    for (std::uint64_t seed = 0; seed < points(); ++seed) {
        auto const point = random_point(inputs_.parameters, seed, changes());
        auto const outcome = architecture().evaluate(inputs_, point, fidelity());
        auto const* infeasible = std::get_if<models::Infeasible>(&outcome);
        if (infeasible == nullptr) continue;
        ++broken;
        EXPECT_TRUE(is_name(infeasible->rule)) << infeasible->rule << " at " << shown(point);
        EXPECT_TRUE(states_a_fact(infeasible->reason)) << infeasible->reason << " at " << shown(point);
        auto const explained = architecture().explain(inputs_, point, fidelity());
        ASSERT_TRUE(std::holds_alternative<models::Infeasible>(explained.outcome)) << shown(point);
        EXPECT_EQ(std::get<models::Infeasible>(explained.outcome).rule, infeasible->rule) << shown(point);
        EXPECT_TRUE(explained.time.empty() && explained.energy.empty() && explained.area.empty()) << shown(point);
    }
    EXPECT_TRUE(broken > 0 || fidelity() != Fidelity::analytic) << "no design was impossible";
}

double total(std::vector<models::Share> const& shares) {
    double sum = 0.0;
    for (auto const& share : shares) sum += share.amount;
    return sum;
}

TEST_P(Law, the_breakdown_sums_to_latency_energy_and_area_and_power_is_energy_over_latency) {
    auto const table = architecture().metrics();
    for (std::uint64_t seed = 0; seed < points(); ++seed) {
        auto const point = random_point(inputs_.parameters, seed, changes());
        auto const outcome = architecture().evaluate(inputs_, point, fidelity());
        auto const* metrics = std::get_if<Metrics>(&outcome);
        if (metrics == nullptr) continue;
        auto const breakdown = architecture().explain(inputs_, point, fidelity());
        ASSERT_TRUE(std::holds_alternative<Metrics>(breakdown.outcome)) << shown(point);
        EXPECT_TRUE(same_bits(*metrics, std::get<Metrics>(breakdown.outcome))) << shown(point);
        auto const value = [&](char const* name) {
            return (*metrics)[static_cast<std::size_t>(models::find_metric(table, name))].value;
        };
        EXPECT_NEAR(total(breakdown.time), value("latency"), 1e-9 * value("latency")) << shown(point);
        EXPECT_NEAR(total(breakdown.energy), value("energy"), 1e-9 * value("energy")) << shown(point);
        EXPECT_NEAR(total(breakdown.area), value("area"), 1e-9 * value("area")) << shown(point);
        EXPECT_NEAR(value("power") * value("latency"), value("energy"), 1e-12 * value("energy")) << shown(point);
        EXPECT_GT(value("latency"), 0.0) << shown(point);
        EXPECT_GT(value("energy"), 0.0) << shown(point);
    }
}

/// The promise of every bound: where the cycle-level result must lie.
TEST_P(Law, bounds_contain_the_cycle_result) {
    auto const& fidelities = architecture().fidelities;
    if (std::find(fidelities.begin(), fidelities.end(), Fidelity::cycle) == fidelities.end()) {
        EXPECT_NE(fidelity(), Fidelity::cycle);  // nothing to hold it against yet
        return;
    }
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        auto const point = random_point(inputs_.parameters, seed, 1);
        auto const coarse = architecture().evaluate(inputs_, point, fidelity());
        auto const exact = architecture().evaluate(inputs_, point, Fidelity::cycle);
        ASSERT_EQ(coarse.index(), exact.index()) << shown(point);
        auto const* metrics = std::get_if<Metrics>(&coarse);
        if (metrics == nullptr) continue;
        for (std::size_t i = 0; i < metrics->size(); ++i) {
            auto const& e = (*metrics)[i];
            double const truth = std::get<Metrics>(exact)[i].value;
            if (e.kinds == Bound::none || std::isnan(truth)) continue;
            ++compared;
            double const slack = 1e-12 * std::abs(truth);
            EXPECT_LE(e.lower - slack, truth) << architecture().metrics()[i].name << " at " << shown(point);
            EXPECT_GE(e.upper + slack, truth) << architecture().metrics()[i].name << " at " << shown(point);
        }
    }
    EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Law, ::testing::ValuesIn(all_cases()), [](auto const& param) {
    return std::string(param.param.architecture->name) + "_" + std::string(models::name_of(param.param.fidelity));
});

TEST(Catalogue, reads_back_every_default_as_it_prints_it) {
    for (auto const& architecture : models::catalogue()) {
        auto parameters = architecture.parameters();
        for (auto& parameter : parameters) {
            EXPECT_EQ(models::read_value(parameter, models::print_value(parameter, parameter.default_value)),
                      parameter.default_value)
                << architecture.name << " " << parameter.name;
            EXPECT_FALSE(parameter.meaning.empty()) << architecture.name << " " << parameter.name;
        }
    }
}

}  // namespace
}  // namespace pimdse::laws::results_test
