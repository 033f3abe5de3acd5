#include "models/cim_mesh/events.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <string>

namespace pimdse::models::cim_mesh::test::activations_test {
namespace {

Given at(char const* activations, Settings const& more) {
    return Given(with({{"input", "128"}, {"output", "64"}, {"activations", activations}}, more));
}

/// What counting adds to a metric.
double added(char const* metric, Settings const& more, Fidelity fidelity = Fidelity::analytic) {
    return at("counted", more).metric(metric, fidelity).value - at("fitted", more).metric(metric, fidelity).value;
}

/// Llama-3.2-1B, 16 layers: 32 columns of gate and up, which 7 additions of 34.372 cycles each hide; 256 products of
/// the last column on 16 multipliers.
TEST(Activations, take_the_time_of_the_last_column_with_chains) {
    Settings const model{{"llm", "llama-3.2-1b"}};
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle})
        EXPECT_NEAR(added("itl", model, fidelity), 16.0 * 16.0 * 1e-9, 1e-15);
    Settings const one_column{{"llm", "llama-3.2-1b"}, {"parallel_columns", "32"}};
    EXPECT_NEAR(added("itl", one_column), 16.0 * (256.0 * 3.374 - 7.0 * 34.372 + 16.0) * 1e-9, 1e-12);
    // Without gate, nothing hides the last column.
    EXPECT_NEAR(added("itl", {{"llm", "opt-6.7b"}}), 32.0 * 256.0 * 3.374 * 1e-9, 1e-12);
    // A unit for 4 elements per cycle.
    EXPECT_NEAR(added("itl", {{"llm", "opt-6.7b"}, {"softmax_rate", "4"}}), 32.0 * 64.0 * 1e-9, 1e-15);
}

TEST(Activations, take_the_time_of_a_column_with_trees) {
    Settings const model{{"llm", "llama-3.2-1b"}, {"schedule", "tree"}};
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle})
        EXPECT_NEAR(added("itl", model, fidelity), 16.0 * (256.0 * 3.374 + 16.0) * 1e-9, 1e-12);
    EXPECT_NEAR(added("ideal_itl", {{"llm", "llama-3.2-1b"}}), 16.0 * (256.0 * 3.374 + 16.0) * 1e-9, 1e-12);
}

/// The only aggregator has all 32 columns.
TEST(Activations, take_the_time_of_all_columns_on_a_shared_aggregator) {
    Settings const model{{"llm", "llama-3.2-1b"}, {"dynamic_products", "shared"}};
    EXPECT_NEAR(added("itl", model), 16.0 * 32.0 * (256.0 * 3.374 + 16.0) * 1e-9, 1e-10);
}

/// 8,192 elements of each of 16 layers and 128 + 63 positions: 1 pJ for an activation, 0.2 pJ for a product.
TEST(Activations, take_the_energy_of_their_elements) {
    for (char const* schedule : {"serial", "tree", "searched"}) {
        Settings const model{{"llm", "llama-3.2-1b"}, {"schedule", schedule}, {"gating", "srpg"}};
        auto const given = at("counted", model);
        auto const events =
            first_events(given.machine, given.design.running(Schedule::serial), given.parts, Placed(model).counts) +
            later_events(given.machine, given.design.running(Schedule::serial), given.parts, Placed(model).counts);
        EXPECT_DOUBLE_EQ(events.activations, 8192.0 * 16.0 * 191.0) << schedule;
        EXPECT_DOUBLE_EQ(events.gated_elements, 8192.0 * 16.0 * 191.0) << schedule;
        EXPECT_GT(added("energy", model), 8192.0 * 16.0 * 191.0 * 1e-12) << schedule;
    }
    auto const without_gate = at("counted", {{"llm", "opt-6.7b"}});
    EXPECT_FALSE(without_gate.parts.gated);
}

/// Every other token waits at most for its own elements in one router, and so does the whole prompt.
TEST(Activations, overlap_with_other_tokens_of_a_prompt) {
    for (char const* schedule : {"serial", "tree", "searched"}) {
        for (char const* rate : {"0", "1", "16"}) {
            Settings const model{{"llm", "llama-3.2-1b"}, {"schedule", schedule}, {"softmax_rate", rate}};
            double const element = std::string(rate) == "0" ? 3.374 : 1.0 / std::stod(rate);
            double const more = added("ttft", model);
            EXPECT_GT(more, 0.0) << schedule;
            EXPECT_LE(more, 16.0 * 128.0 * (256.0 * element + 16.0) * 1e-9) << schedule;
        }
    }
}

TEST(Activations, bounds_contain_the_cycle_level) {
    tests::Turns turns(5);
    for (char const* schedule : {"serial", "tree", "searched"}) {
        for (char const* placement : {"packed", "searched"}) {
            if (!turns.next()) continue;
            expect_bounds(Given(with(small("llama-3.2-1b", schedule),
                                     {{"placement", placement}, {"activations", "counted"}, {"fifo_bytes", "32"}})),
                          std::string(schedule) + " " + placement);
        }
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::activations_test
