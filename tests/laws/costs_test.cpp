#include "models/catalogue.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/economy/economy.hpp"
#include "random_point.hpp"
#include "served_points.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace pimdse::laws::costs_test {
namespace {

using models::Architecture;
using models::Estimate;
using models::Metrics;
using models::Value;

/// Cost and carbon of random machines that serve random requests.
class Costs : public ::testing::TestWithParam<Architecture> {
  protected:
    Architecture const& architecture() const { return GetParam(); }
    Estimate metric(Metrics const& metrics, std::string_view name) const {
        return metrics[static_cast<std::size_t>(models::find_metric(table_, name))];
    }
    /// Calls `examine` with a point and its metrics, at least once.
    template <class Examine>
    void each(models::Inputs const& inputs, Examine const& examine) const {
        ServedMachine const served(architecture());
        Bits bits(51);
        int found = 0;
        for (int i = 0; i < 120; ++i) {
            auto point = i % 2 == 0 ? random_point(inputs.parameters, bits.below(1'000'000)) : served.draw(bits);
            if (i % 4 == 1) point = served.with(point, models::devices_name, 2);
            auto const outcome = architecture().evaluate(inputs, point, architecture().fidelities.front());
            auto const* metrics = std::get_if<Metrics>(&outcome);
            if (metrics == nullptr) continue;
            ++found;
            examine(point, *metrics);
        }
        EXPECT_GT(found, 0);
    }
    models::MetricList table_ = architecture().metrics();
};

TEST_P(Costs, are_those_of_the_machine_and_of_its_request) {
    auto const inputs = models::prepare(architecture(), architecture().parameters());
    auto const& economy = models::economy::Economy::shipped();
    each(inputs, [&](std::vector<Value> const& point, Metrics const& metrics) {
        auto const cost = metric(metrics, "cost"), embodied = metric(metrics, "embodied_carbon");
        EXPECT_GT(cost.value, 0.0) << shown(inputs.parameters, point);
        EXPECT_GT(embodied.value, 0.0) << shown(inputs.parameters, point);
        EXPECT_TRUE(cost.is_exact() && embodied.is_exact());
        models::economy::RequestFigures const served{
            metric(metrics, "latency"), metric(metrics, "energy"), metric(metrics, "idle_power"),
            metric(metrics, "tokens_per_second"), metric(metrics, "energy_per_token")};
        auto const carbon = metric(metrics, "carbon"), tokens = metric(metrics, "cost_per_million_tokens");
        EXPECT_NEAR(carbon.value, economy.carbon(embodied, served).value, 1e-9 * carbon.value);
        EXPECT_LE(carbon.lower, carbon.value);
        EXPECT_GE(carbon.upper, carbon.value);
        EXPECT_EQ(models::applies(tokens), models::applies(served.tokens_per_second));
        if (!models::applies(tokens)) return;
        EXPECT_NEAR(tokens.value, economy.per_million_tokens(cost, served).value, 1e-9 * tokens.value);
        EXPECT_GT(tokens.lower, 0.0) << shown(inputs.parameters, point);
        EXPECT_LE(tokens.lower, tokens.value);
        EXPECT_GE(tokens.upper, tokens.value);
    });
}

TEST_P(Costs, are_shares_of_a_lifetime_where_electricity_is_free) {
    auto const inputs_of = [this](std::string const& lifetime) {
        models::ModelOptions options;
        for (auto const& [row, text] :
             models::AssumptionTexts{{"lifetime", lifetime}, {"electricity", "0 USD/kWh"}, {"grid", "0 gCO2e/kWh"}})
            models::set_assumption(options.assumptions, "economy." + row, text);
        return models::prepare(architecture(), architecture().parameters(), options);
    };
    auto const lasting = inputs_of("30000 years"), usual = inputs_of("3 years");
    each(lasting, [&](std::vector<Value> const& point, Metrics const& metrics) {
        auto const found = architecture().evaluate(usual, point, models::Fidelity::analytic);
        for (auto const* name : {"carbon", "cost_per_million_tokens"}) {
            if (!models::applies(metric(metrics, name))) continue;
            double const share = 1e-4 * metric(std::get<Metrics>(found), name).value;
            EXPECT_NEAR(metric(metrics, name).value, share, 1e-9 * share) << name << shown(lasting.parameters, point);
        }
    });
}

/// Of architectures whose machines cost the same whatever part of a model they serve; those of cim_mesh and dplena are
/// as large as their parts.
class CostsOfFixedMachines : public Costs {};

TEST_P(CostsOfFixedMachines, rise_with_devices) {
    auto const inputs = models::prepare(architecture(), architecture().parameters());
    ServedMachine const served(architecture());
    Bits bits(52);
    int compared = 0;
    for (int i = 0; i < 60; ++i) {
        auto const point = served.draw(bits);
        double before = 0.0;
        for (std::int64_t const devices : {1, 2, 4}) {
            auto const outcome = architecture().evaluate(inputs, served.with(point, models::devices_name, devices),
                                                         architecture().fidelities.front());
            auto const* metrics = std::get_if<Metrics>(&outcome);
            if (metrics == nullptr) continue;
            double const all = metric(*metrics, "cost").value;
            EXPECT_GT(all, before) << devices << " devices, " << shown(inputs.parameters, point);
            before = all;
            ++compared;
        }
    }
    EXPECT_GT(compared, 0);
}

std::vector<Architecture> with_fixed_costs() {
    std::vector<Architecture> list;
    for (auto const& one : models::catalogue()) {
        auto const& fixed = one.one_of_many.resources;
        if (std::find(fixed.begin(), fixed.end(), "cost") != fixed.end()) list.push_back(one);
    }
    return list;
}

INSTANTIATE_TEST_SUITE_P(Every, CostsOfFixedMachines, ::testing::ValuesIn(with_fixed_costs()),
                         [](auto const& one) { return std::string(one.param.name); });

INSTANTIATE_TEST_SUITE_P(Every, Costs, ::testing::ValuesIn(models::catalogue()),
                         [](auto const& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace pimdse::laws::costs_test
