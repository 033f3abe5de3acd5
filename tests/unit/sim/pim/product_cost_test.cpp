#include "sim/pim/product_cost.hpp"

#include "random_units.hpp"
#include "sim/base/counting.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace pimdse::sim::pim::product_cost_test {
namespace {

TEST(ProductCost, lower_bound_is_one_on_random_programs) {
    test::RandomUnits random(11);
    double widest = 1.0;
    int beyond_alone = 0;
    for (int i = 0; i < 4000; ++i) {
        auto const units = random.units();
        auto const program = random.program(units);
        if (program.size() > 1500) continue;
        auto const cycles = simulated(units, program).cycles_each();
        auto const [estimate, bound, commands] = closed_form(units, program);
        ASSERT_LE(bound, cycles * (1.0 + 1e-12)) << "case " << i;
        ASSERT_GT(bound, 0.0);
        widest = std::max(widest, cycles / bound);
        auto still = units;
        still.timing.refresh_interval = 0;
        auto const undisturbed = simulated(still, program);
        auto const alone = undisturbed.cycles_each();
        EXPECT_EQ(commands.macs, undisturbed.commands.macs);
        EXPECT_EQ(commands.bank_activations, undisturbed.commands.bank_activations);
        EXPECT_EQ(commands.buffer_writes, undisturbed.commands.buffer_writes);
        EXPECT_EQ(commands.sum_reads, undisturbed.commands.sum_reads);
        if (units.timing.refresh_interval == 0) {
            EXPECT_EQ(bound, cycles);
            EXPECT_EQ(estimate, cycles);
        }
        beyond_alone += bound > alone ? 1 : 0;
    }
    EXPECT_LT(widest, 4.0);
    EXPECT_GT(beyond_alone, 200) << "refresh is part of the bound";
}

TEST(ProductCost, is_a_mean_over_many_refreshes) {
    test::RandomUnits random(5);
    for (int i = 0; i < 300; ++i) {
        auto units = random.units();
        units.timing.refresh_interval = 3000;
        auto const cost = simulated(units, random.program(units));
        EXPECT_GE(cost.commands.refreshes, 60);
        EXPECT_LE(cost.open_cycles, cost.cycles + units.timing.write_to_activate);
    }
}

TEST(ProductCost, energy_is_that_of_the_commands_and_the_time) {
    test::RandomUnits random(2);
    auto units = random.units();
    units.timing.refresh_interval = 0;
    units.energy.mac = Energy{3.0};
    units.energy.standby = Power{5.0};
    units.energy.active_standby = Power{5.0};
    Gemv const product;
    auto const cost = simulated(units, program_of(units, product));
    EXPECT_DOUBLE_EQ(energy_each(units, cost).si,
                     3.0 * as_double(cost.commands.macs) + 5.0 * as_double(cost.cycles) * units.timing.clock.si);
}

TEST(ProductCosts, give_every_thread_the_same_and_do_not_depend_on_vectors) {
    test::RandomUnits random(23);
    auto const units = random.units();
    ProductCosts const costs(units);
    Gemv product;
    product.inputs = 700;
    product.outputs = 60;
    auto const expected = simulated(units, program_of(units, product));
    product.vectors = 9;
    std::vector<std::thread> threads;
    std::vector<ProductCost> found(4);
    for (auto& one : found) threads.emplace_back([&] { one = costs.of(product); });
    for (auto& thread : threads) thread.join();
    for (auto const& one : found) EXPECT_EQ(one, expected);
    Attention attention;
    attention.head_size = 16;
    EXPECT_LE(costs.closed_form_of(product).lower_bound, expected.cycles_each());
    for (auto const part :
         {AttentionPart::scores, AttentionPart::values, AttentionPart::append, AttentionPart::append_values}) {
        AttentionProduct const one{part, attention};
        EXPECT_EQ(costs.of(one), simulated(units, program_of(units, one)));
        EXPECT_LE(costs.closed_form_of(one).lower_bound, costs.of(one).cycles_each());
    }
}

}  // namespace
}  // namespace pimdse::sim::pim::product_cost_test
