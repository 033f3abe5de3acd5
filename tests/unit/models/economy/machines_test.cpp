#include "models/catalogue.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/validation.hpp"
#include "models/economy/economy.hpp"
#include "models/find_architecture.hpp"

#include <gtest/gtest.h>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models::economy::test::machines_test {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

std::map<std::string, Estimate> metrics_at(std::string const& name, Settings const& settings,
                                           ModelOptions const& options = {}) {
    auto const& architecture = find_architecture(name);
    auto parameters = architecture.parameters();
    auto const point = point_with(parameters, settings);
    auto const inputs = prepare(architecture, parameters, options);
    auto const outcome = architecture.evaluate(inputs, point, Fidelity::analytic);
    std::map<std::string, Estimate> values;
    auto const* metrics = std::get_if<Metrics>(&outcome);
    EXPECT_NE(metrics, nullptr) << name;
    if (metrics == nullptr) return values;
    auto const table = architecture.metrics();
    for (std::size_t i = 0; i < table.size(); ++i) values.emplace(table[i].name, (*metrics)[i]);
    return values;
}

TEST(Machines, that_are_boards_cost_what_they_are_sold_for) {
    EXPECT_EQ(metrics_at("a100", {}).at("cost").value, 10000.0);
    EXPECT_EQ(metrics_at("gpu", {{"device", "rtx_4090"}}).at("cost").value, 1599.0);
    EXPECT_GT(metrics_at("h100", {}).at("embodied_carbon").value, 10.0);
}

/// A tier of umdam: 512 GiB of flash cost 0.08 USD, 10 g and 0.02 mW a GiB, with and without a request.
TEST(Machines, with_a_tier_pay_for_its_flash) {
    Settings settings{{"llm", "llama-3.2-1b"}, {"input", "128"}, {"output", "2"}};
    auto const without = metrics_at("umdam", settings);
    settings.emplace_back("tier_capacity", std::to_string(std::int64_t{512} << 30));
    auto const with = metrics_at("umdam", settings);
    auto const more = [&](char const* metric) { return with.at(metric).value - without.at(metric).value; };
    EXPECT_NEAR(more("cost"), 512 * 0.08, 1e-9);
    EXPECT_NEAR(more("embodied_carbon"), 512 * 0.01, 1e-9);
    EXPECT_NEAR(more("idle_power"), 512 * 0.02e-3, 1e-12);
    EXPECT_NEAR(more("energy"), 512 * 0.02e-3 * without.at("latency").value, 1e-9);
    EXPECT_EQ(more("latency"), 0.0);
}

TEST(Machines, that_are_one_have_the_hardware_of_each_and_pay_for_links) {
    Settings const request{{"llm", "llama-2-7b"}, {"input", "128"}, {"output", "2"}};
    auto const with_devices = [&](char const* devices) {
        auto settings = request;
        settings.emplace_back("devices", devices);
        return metrics_at("aim_card", settings);
    };
    auto const one = with_devices("1"), all = with_devices("32");
    for (auto const* metric : {"area", "memory_area", "silicon"})
        EXPECT_NEAR(all.at(metric).value / one.at(metric).value, 32.0, 1e-9) << metric;
    auto const& e = Economy::shipped();
    double const four_of_sixteen_lanes = 8.0 / 4.0;  // of cxl3_x8, whose lanes are twice as fast
    EXPECT_NEAR(all.at("idle_power").value, 32.0 * (one.at("idle_power").value + four_of_sixteen_lanes), 1e-9);
    double const share = 1.0 / 4.0;
    EXPECT_NEAR(all.at("embodied_carbon").value,
                32.0 * (one.at("embodied_carbon").value + share * e.link_carbon("cxl3_x8")), 1e-9);
    EXPECT_NEAR(all.at("cost").value, 32.0 * (one.at("cost").value + share * e.link("cxl3_x8")), 1e-6);
    double const die = e.die(sim::Area{18.96e-6}, process("7nm")).cost, design = e.design_cost(process("7nm"));
    EXPECT_NEAR(one.at("cost").value, die / (1.0 - 0.29) + design / e.volume() + 16 * 3.364, 1e-9);
}

TEST(Machines, in_a_group_add_up_and_pay_for_links) {
    Settings const request{{"llm", "llama-2-7b"}, {"input", "128"}, {"output", "8"}, {"batch", "8"}};
    auto const group = [&](Settings more) {
        more.insert(more.end(), request.begin(), request.end());
        return metrics_at("a100", more);
    };
    double const one = group({}).at("cost").value, carbon = group({}).at("embodied_carbon").value;
    EXPECT_NEAR(group({{"devices", "4"}}).at("cost").value, 4.0 * (one + 500.0), 1e-6);
    EXPECT_NEAR(group({{"devices", "4"}, {"link", "eth100"}}).at("cost").value, 4.0 * (one + 300.0), 1e-6);
    EXPECT_NEAR(group({{"devices", "4"}, {"data_parallel", "4"}}).at("cost").value, 4.0 * one, 1e-6);
    EXPECT_NEAR(group({{"devices", "4"}, {"pipeline_parallel", "2"}, {"stage_link", "eth100"}}).at("cost").value,
                4.0 * (one + 500.0 + 300.0), 1e-6);
    EXPECT_NEAR(group({{"devices", "4"}}).at("embodied_carbon").value,
                4.0 * (carbon + Economy::shipped().link_carbon("nvlink3")), 1e-6);
    EXPECT_NEAR(group({{"devices", "4"}, {"data_parallel", "4"}}).at("embodied_carbon").value, 4.0 * carbon, 1e-6);
    auto const four = group({{"devices", "4"}});
    RequestFigures const served{four.at("latency"), four.at("energy"), four.at("idle_power"),
                                four.at("tokens_per_second"), four.at("energy_per_token")};
    auto const& e = Economy::shipped();
    EXPECT_NEAR(four.at("cost_per_million_tokens").value, e.per_million_tokens(four.at("cost"), served).value, 1e-9);
    EXPECT_NEAR(four.at("carbon").value, e.carbon(four.at("embodied_carbon"), served).value, 1e-12);
}

TEST(Machines, in_a_pair_add_up_and_pay_for_the_link_between_them) {
    double const prefill = metrics_at("a100", {}).at("cost").value;
    double const decode = metrics_at("aim_card", {{"llm", "llama-2-7b"}}).at("cost").value;
    auto const pair = metrics_at("pair:a100:aim_card", {{"llm", "llama-2-7b"}, {"decode_machines", "3"}});
    EXPECT_NEAR(pair.at("cost").value, prefill + 3.0 * decode + 4.0 * Economy::shipped().link("eth400"), 1e-6);
}

TEST(Machines, follow_the_assumptions_of_a_space) {
    ModelOptions options;
    set_assumption(options.assumptions, "economy.lpddr5_cost", "100 USD/GiB");
    for (auto const& [name, dearer] : {std::pair<std::string, bool>{"umdam", true}, {"upmem", false}}) {
        double const before = metrics_at(name, {}).at("cost").value,
                     after = metrics_at(name, {}, options).at("cost").value;
        EXPECT_EQ(after > before, dearer) << name;
    }
}

}  // namespace
}  // namespace pimdse::models::economy::test::machines_test
