#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/contract/common_metrics.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <map>

namespace pimdse::models::cim_mesh::test::fidelity_test {
namespace {

TEST(Fidelity, bounds_contain_the_cycle_level_result) {
    tests::Turns turns(7);
    for (char const* model : {"llama-3.2-1b", "opt-125m", "qwen2.5-0.5b", "llada-8b"}) {
        for (char const* schedule : {"serial", "tree"}) {
            for (auto const& extra : std::vector<Setting>{{"link_bits", "64"},
                                                          {"link_bits", "256"},
                                                          {"fifo_bytes", "32"},
                                                          {"parallel_columns", "3"},
                                                          {"kv_pool", "colocated"},
                                                          {"dmacs", "4"},
                                                          {"machine", "leap-a"},
                                                          {"machine", "leap-d"},
                                                          {"output", "5"},
                                                          {"batch", "2"},
                                                          {"lm_head", "counted"},
                                                          {"model_cache", "prefix"},
                                                          {"frequency", "500 MHz"}}) {
                if (!turns.next()) continue;
                Given const given(with(small(model, schedule), {extra}));
                ASSERT_EQ(given.rule(), "") << model << extra.first;
                expect_bounds(given, std::string(model) + " " + schedule + " " + extra.first + " " + extra.second);
            }
        }
    }
}

/// Points whose intervals cycle level had left: flits of one FIFO wait for credits, keys crowd on their way to the
/// cache.
TEST(Fidelity, bounds_contain_what_they_once_did_not) {
    Settings const narrow{{"llm", "qwen2.5-0.5b"},
                          {"schedule", "tree"},
                          {"link_bits", "1000"},
                          {"fifo_bytes", "300"},
                          {"input", "64"},
                          {"output", "16"},
                          {"scratchpad", "4194304"},
                          {"crossbar", "64"},
                          {"parallel_columns", "64"},
                          {"dmacs", "67"}};
    Settings const found{
        {"llm", "opt-125m"},      {"schedule", "tree"}, {"link_bits", "700"},      {"fifo_bytes", "256"},
        {"input", "2"},           {"output", "16"},     {"scratchpad", "4194304"}, {"parallel_columns", "4"},
        {"placement", "searched"}};
    for (auto const& settings : {narrow, found}) {
        Given const given(settings);
        expect_bounds(given, settings.list.front().second);
        for (char const* time : {"ttft", "itl", "latency"})
            EXPECT_LT(given.metric(time, Fidelity::cycle).value / given.metric(time).lower, 1.4) << time;
    }
}

/// No two chains meet, so that there is nothing to simulate.
TEST(Fidelity, of_the_serial_schedule_does_not_matter) {
    for (auto const& setting : std::vector<Setting>{{"fifo_bytes", "24"},  // three flits
                                                    {"fifo_bytes", "4096"},
                                                    {"parallel_columns", "3"},
                                                    {"output", "40"},
                                                    {"dmacs", "3"},
                                                    {"dynamic_products", "reprogram"},
                                                    {"dynamic_products", "hybrid"},
                                                    {"dynamic_products", "digital"},
                                                    {"dynamic_products", "shared"},
                                                    {"crossbar", "32"},
                                                    {"mesh_rows", "33"}}) {
        SCOPED_TRACE(setting.first + " " + setting.second);
        Given const given(with(small("llama-3.2-1b", "serial"), {setting}));
        expect_same(given.outcome(), given.outcome(Fidelity::cycle));  // which is exact
    }
}

/// The network's FIFOs hold 2,048 flits; these would hold 4,096.
TEST(Fidelity, of_fifos_that_are_never_full_is_that_of_deep_ones) {
    expect_bounds(Given({{"machine", "leap-a"},
                         {"schedule", "tree"},
                         {"llm", "opt-125m"},
                         {"input", "8"},
                         {"output", "2"},
                         {"link_bits", "16"},
                         {"fifo_bytes", "4096"}}),
                  "deep");
}

TEST(Fidelity, results_are_the_same_bits_every_time) {
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        Given const given(small("opt-125m", "tree"));
        expect_same(given.outcome(fidelity), given.outcome(fidelity));
    }
}

TEST(Fidelity, breakdown_sums_to_the_total_at_every_fidelity_and_schedule) {
    for (char const* model : {"llama-3.2-1b", "llada-8b"}) {
        for (char const* schedule : {"serial", "tree"}) {
            for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
                Given const given(small(model, schedule));
                EXPECT_NEAR(models::sum_of(given.explain(fidelity).time) / given.metric("latency", fidelity).value, 1.0,
                            1e-9)
                    << model << schedule;
            }
        }
    }
}

TEST(Fidelity, tree_schedule_is_the_ideal_of_the_serial_one) {
    Given const serial(small("llama-3.2-1b", "serial")), tree(small("llama-3.2-1b", "tree"));
    EXPECT_EQ(tree.metric("itl").value, serial.metric("ideal_itl").value);
    EXPECT_EQ(tree.metric("ttft").value, serial.metric("ideal_ttft").value);
    EXPECT_TRUE(serial.metric("ideal_itl").is_exact());
    EXPECT_LT(tree.metric("itl", Fidelity::cycle).value, serial.metric("itl", Fidelity::cycle).value);
}

TEST(Trace, shows_every_layer_in_one_state_at_a_time) {
    Given const given({{"llm", "llama-3.2-1b"}, {"lora_targets", "all"}, {"input", "4"}, {"output", "4"}});
    auto const bars = given.architecture.trace(given.inputs, given.point, Fidelity::analytic);
    std::map<std::string, double> until;
    std::map<std::string, double> reprogrammed, active_from;
    double prompt_end = 0.0;
    for (auto const& bar : bars) {
        EXPECT_GE(bar.start, until[bar.unit] - 1e-15) << bar.unit << " " << bar.what;
        EXPECT_GT(bar.duration, 0.0);
        until[bar.unit] = bar.start + bar.duration;
        if (bar.what == "reprogram") reprogrammed[bar.unit] = bar.start + bar.duration;
        if (bar.what == "active: prompt") {
            EXPECT_GE(bar.start, reprogrammed.at(bar.unit) - 1e-15);
            prompt_end = std::max(prompt_end, bar.start + bar.duration);
        }
    }
    EXPECT_EQ(reprogrammed.size(), 16U);
    EXPECT_NEAR(prompt_end / given.metric("ttft").value, 1.0, 1e-9);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::fidelity_test
