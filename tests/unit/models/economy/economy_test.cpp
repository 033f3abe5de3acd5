#include "models/economy/economy.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/contract/constants.hpp"
#include "models/economy/parts.hpp"
#include "tests/unit/refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <string>

namespace pimdse::models::economy::test::economy_test {
namespace {

using ::testing::HasSubstr;

ModelOptions with(AssumptionTexts const& rows) {
    ModelOptions options;
    for (auto const& [name, text] : rows) set_assumption(options.assumptions, "economy." + name, text);
    return options;
}

Materials controller() {
    Materials m;
    m.logic = 18.96e-6;
    m.process = process("7nm");
    return m;
}

TEST(Economy, bills_the_controller_of_CENT) {
    auto const bill = Economy(with({{"volume", "3000000"}})).bill(controller());
    EXPECT_NEAR(bill.dies, 2.69, 0.005);
    EXPECT_NEAR(bill.packages, 1.10, 0.005);
    EXPECT_NEAR(bill.design, 8.13, 0.05);
    EXPECT_DOUBLE_EQ(bill.total(), bill.dies + bill.packages + bill.design);
}

TEST(Economy, charges_larger_dies_more_and_more) {
    double before = 0.0;
    for (double mm2 = 1.0; mm2 <= 858.0; mm2 += 1.0) {
        double const cost = Economy::shipped().die(sim::Area{mm2 * 1e-6}, process("7nm")).cost;
        EXPECT_GT(cost / mm2, before) << mm2;
        before = cost / mm2;
    }
}

TEST(Economy, divides_logic_beyond_the_reticle) {
    auto const& e = Economy::shipped();
    Materials m;
    m.logic = 3 * 858e-6 + 100e-6;
    auto const bill = e.bill(m);
    auto const full = e.die(sim::Area{858e-6}, process("7nm")), rest = e.die(sim::Area{100e-6}, process("7nm"));
    EXPECT_NEAR(bill.dies, 3 * full.cost + rest.cost, 1e-9);
    EXPECT_NEAR(bill.design, 4 * e.design_cost(process("7nm")) / e.volume(), 1e-9);
    double before = 0.0;
    for (int mm2 = 1; mm2 < 3000; mm2 += 7) {
        m.logic = mm2 * 1e-6;
        double const cost = e.bill(m).total();
        EXPECT_GT(cost, before) << mm2;
        before = cost;
    }
}

TEST(Economy, charges_memories_by_kind) {
    Materials m;
    m.add(MemoryKind::gddr6, 16.0 * 0x1p30);
    EXPECT_FALSE(m.stacked);
    EXPECT_NEAR(Economy::shipped().bill(m).total(), 16 * 3.364, 1e-9);
    EXPECT_NEAR(Economy(with({{"gddr6_cost", "5 USD/GiB"}})).bill(m).total(), 80.0, 1e-9);
    m.bank_logic = 100e-6;
    EXPECT_NEAR(Economy(with({{"bank_logic_cost", "0.5 USD/mm2"}})).bill(m).bank_logic, 50.0, 1e-9);
    Materials stack = controller();
    stack.memory = 9 * 100e-6;
    stack.add(MemoryKind::hbm2, 0x1p34);
    EXPECT_NEAR(Economy::shipped().bill(stack).packages, 0.156 * (18.96 + 100.0), 1e-9);
}

TEST(Economy, takes_a_product_at_its_cost_and_its_carbon_from_the_bill) {
    auto m = controller();
    double const carbon = Economy::shipped().bill(m).carbon;
    m.product = 10000.0;
    auto const bill = Economy::shipped().bill(m);
    EXPECT_EQ(bill.total(), 10000.0);
    EXPECT_EQ(bill.carbon, carbon);
}

RequestFigures served() {
    return {10.0, 1000.0, 20.0, sim::Bounded::within(50.0, 40.0, 60.0, sim::Bound::proved), 2.0};
}

TEST(Economy, charges_tokens_with_machine_idle_time_and_electricity) {
    Economy const e(with({{"lifetime", "2 years"},
                          {"utilisation", "0.5"},
                          {"electricity", "0.36 USD/kWh"},
                          {"pue", "1.5"},
                          {"grid", "400 gCO2e/kWh"}}));
    constexpr double year = 365.25 * 86400.0, joule = 0.36 / 3.6e6 * 1.5, kilogram = 0.4 / 3.6e6 * 1.5;
    auto const cost = e.per_million_tokens(100.0, served());
    // A second of work pays for another one of idling.
    auto const by_hand = [&](double rate) { return 1e6 * ((100.0 / year + 20.0 * joule) / rate + 2.0 * joule); };
    EXPECT_NEAR(cost.value, by_hand(50.0), 1e-9);
    EXPECT_NEAR(cost.lower, by_hand(60.0), 1e-9);
    EXPECT_NEAR(cost.upper, by_hand(40.0), 1e-9);
    EXPECT_NEAR(e.carbon(300.0, served()).value, 10.0 * (300.0 / year + 20.0 * kilogram) + 1000.0 * kilogram, 1e-12);
    auto nothing = served();
    nothing.tokens_per_second = does_not_apply();
    EXPECT_FALSE(applies(e.per_million_tokens(100.0, nothing)));
    EXPECT_NEAR(e.per_hour(1000.0, 100.0), 3600.0 * (1000.0 / (2.0 * year) + 100.0 * joule), 1e-12);
}

TEST(Economy, costs_its_part_of_a_lifetime_with_free_electricity) {
    Economy const e(with({{"lifetime", "30000 years"}, {"electricity", "0 USD/kWh"}, {"grid", "0 gCO2e/kWh"}}));
    Economy const usual(with({{"lifetime", "3 years"}, {"electricity", "0 USD/kWh"}, {"grid", "0 gCO2e/kWh"}}));
    auto const part = [](double value) { return 1e-4 * value; };
    EXPECT_NEAR(e.per_million_tokens(1e6, served()).value, part(usual.per_million_tokens(1e6, served()).value), 1e-12);
    EXPECT_NEAR(e.carbon(1e6, served()).value, part(usual.carbon(1e6, served()).value), 1e-12);
}

TEST(Economy, has_draws_after_assumptions) {
    auto options = with({{"7nm_wafer", "5000 USD"}});
    double const assumed = Economy(options).bill(controller()).dies;
    EXPECT_NEAR(assumed, 2.6892 * 5000 / 9346, 1e-3);
    options.drawn["economy.7nm_wafer"] = 10000.0;
    options.drawn["links.pcie4_step"] = 1e-6;
    EXPECT_NEAR(Economy(options).bill(controller()).dies, 2.0 * assumed, 1e-9);
}

TEST(Economy, follows_the_node_of_the_assumptions) {
    ModelOptions options;
    options.assumptions.node = "5nm";
    Materials m;
    m.logic = 100e-6;
    auto const& shipped = Economy::shipped();
    EXPECT_EQ(Economy(options).bill(m).dies, shipped.die(sim::Area{m.logic}, process("7nm")).cost) << "as in papers";
    options.assumptions.constants = ConstantSource::technology;
    EXPECT_EQ(Economy(options).bill(m).dies, shipped.die(sim::Area{m.logic}, process("5nm")).cost);
}

std::string refusal(std::string const& name, std::string const& text) {
    return refusal_by([&] { (void)Economy(with({{name, text}})); });
}

TEST(Economy, refuses_what_cannot_be) {
    EXPECT_THAT(refusal("electricty", "1 USD/kWh"), HasSubstr("Did you mean 'electricity'"));
    EXPECT_THAT(refusal("electricity", "1 USD"), HasSubstr("is money"));
    EXPECT_THAT(refusal("electricity", "-1 USD/kWh"), HasSubstr("must not be below 0"));
    EXPECT_THAT(refusal("utilisation", "1.5"), HasSubstr("at most 1"));
    EXPECT_THAT(refusal("utilisation", "0"), HasSubstr("above 0"));
    EXPECT_THAT(refusal("package_share", "1"), HasSubstr("below 1"));
    EXPECT_THAT(refusal("lifetime", "0 years"), HasSubstr("above 0"));
    EXPECT_THAT(refusal("reticle", "80000 mm2"), HasSubstr("too large for wafers"));
}

TEST(Economy, has_ranges_for_everything_that_is_assumed) {
    auto const all = Constants::load(std::string(PIMDSE_TEST_DATA) + "/../../models/economy.toml", {}, economy_table);
    for (auto const& [name, row] : all.all()) {
        if (!row.assumed) continue;
        EXPECT_LE(row.range_lower, row.si) << name;
        EXPECT_LT(row.range_lower, row.range_upper) << name;
    }
}

TEST(Parts, add_up_for_all_devices) {
    auto const& a = parts();
    auto table = a.parameters();
    auto const inputs = prepare(a, table);
    auto point = default_point(table);
    auto const set = [&](std::string_view name, Value value) {
        point[static_cast<std::size_t>(find_parameter(table, name))] = value;
    };
    set("area", Value::quantity(18.96e-6));
    set("devices", Value::integer(4));
    set("power", Value::quantity(25.0));
    auto const metrics = std::get<Metrics>(a.evaluate(inputs, point, Fidelity::analytic));
    auto const of = [&](std::string_view name) {
        return metrics[static_cast<std::size_t>(find_metric(a.metrics(), name))].value;
    };
    EXPECT_NEAR(of("cost"), 4.0 * (of("die_cost") + of("package_cost") + of("design_share")), 1e-9);
    EXPECT_NEAR(of("cost_per_hour"), Economy::shipped().per_hour(of("cost"), 100.0), 1e-12);
}

}  // namespace
}  // namespace pimdse::models::economy::test::economy_test
