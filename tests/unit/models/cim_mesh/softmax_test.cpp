#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <string>

namespace pimdse::models::cim_mesh::test::softmax_test {
namespace {

Given at(char const* rate, char const* schedule = "serial") {
    return Given(
        {{"llm", "llama-3.2-1b"}, {"input", "128"}, {"output", "64"}, {"schedule", schedule}, {"softmax_rate", rate}});
}

/// Four heads of a slice score a key: 3.374 cycles each as fitted, 1 / rate with a unit.
TEST(Softmax, takes_a_cycle_for_as_many_scores_as_its_unit_is_wide) {
    double const layers = 16.0, context = 160.0, heads = 4.0;
    for (char const* schedule : {"serial", "tree"}) {
        for (char const* rate : {"1", "2", "16"}) {
            EXPECT_NEAR(at("0", schedule).metric("itl").value - at(rate, schedule).metric("itl").value,
                        layers * context * heads * (3.374 - 1.0 / std::stod(rate)) * 1e-9, 1e-12)
                << rate << schedule;
        }
    }
}

TEST(Softmax, unit_takes_area_in_every_router) {
    double const before = at("0").metric("area").value;
    for (char const* rate : {"1", "4"}) {
        double const units = static_cast<double>(at(rate).parts.total_tiles) * 1024.0 * std::stod(rate);
        EXPECT_NEAR(at(rate).metric("area").value - before, units * 526e-12, 1e-12);
        EXPECT_NEAR((at(rate).metric("router_area").value - at("0").metric("router_area").value) * 1e12,
                    526.0 * std::stod(rate), 1e-6);
        EXPECT_GE(at(rate).metric("energy").value, 0.0);
    }
}

/// Table IV: 0.2212 mm2 of a pair.
TEST(Area, of_a_pair_is_that_of_its_macros) {
    Given const given;
    double sum = 0.0;
    for (char const* macro : {"crossbar_area", "adapter_area", "scratchpad_area", "router_area"})
        sum += given.metric(macro).value;
    EXPECT_NEAR(given.metric("pair_area").value, sum, 1e-18);
    EXPECT_NEAR(sum * 1e6, 0.1442 + 0.035 + 0.013 + 0.029, 1e-9);
}

TEST(Power, of_a_pair_by_events_is_that_of_its_macros) {
    Given const given({{"lora_targets", "q"}, {"input", "128"}, {"output", "64"}});
    double sum = 0.0;
    for (char const* macro : {"crossbar_power", "adapter_power", "scratchpad_power", "router_power"})
        sum += given.metric(macro).value;
    EXPECT_NEAR(given.metric("pair_power").value, sum, 1e-12 * sum);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::softmax_test
