#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/contract/published.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace pimdse::models::cim_mesh::test {
namespace {

Settings small(char const* model, char const* schedule) {
    bool const diffuses = std::string_view(model).starts_with("llada");
    return {{"llm", model},
            {"schedule", schedule},
            {"input", "12"},
            {"output", "10"},
            {"mesh_rows", "16"},
            {"mesh_cols", "16"},
            {"generation", diffuses ? "diffusion" : "autoregressive"},
            {"block_length", "5"},
            {"steps", "3"}};
}

void expect_bounds(Given const& given, std::string const& where) {
    auto const cycle = std::get<Metrics>(given.outcome(Fidelity::cycle));
    auto const table = given.architecture.metrics();
    for (auto const fidelity : {Fidelity::analytic, Fidelity::hybrid}) {
        auto const coarse = std::get<Metrics>(given.outcome(fidelity));
        for (std::size_t i = 0; i < table.size(); ++i) {
            EXPECT_LE(coarse[i].low, cycle[i].value * (1.0 + 1e-12))
                << where << " " << table[i].name << " " << name_of(fidelity);
            EXPECT_GE(coarse[i].high * (1.0 + 1e-12), cycle[i].value)
                << where << " " << table[i].name << " " << name_of(fidelity);
        }
    }
}

TEST(Fidelity, bounds_contain_the_cycle_level_answer) {
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
                auto settings = small(model, schedule);
                settings.list.push_back(extra);
                Given const given(settings);
                ASSERT_TRUE(std::holds_alternative<Metrics>(given.outcome())) << model << extra.first;
                expect_bounds(given, std::string(model) + " " + schedule + " " + extra.first + " " + extra.second);
            }
        }
    }
}

TEST(Fidelity, hybrid_holds_the_published_rows_as_the_closed_form_does) {
    int held = 0;
    for (auto const& figure : load_published("cim_mesh")) {
        if (!figure.gate) continue;
        Given const given{Settings(figure.set)};
        EXPECT_NEAR(given.metric(figure.metric, Fidelity::hybrid).value / figure.value, 1.0, figure.tolerance)
            << figure.name;
        ++held;
    }
    EXPECT_GE(held, 35);
}

TEST(Fidelity, serial_answers_differ_only_where_fifos_are_short) {
    Given const wide(small("llama-3.2-1b", "serial"));
    EXPECT_NEAR(wide.metric("itl", Fidelity::cycle).value / wide.metric("itl").value, 1.0, 1e-4);
    auto settings = small("llama-3.2-1b", "serial");
    settings.list.emplace_back("fifo_bytes", "24");  // three flits
    Given const narrow(settings);
    double const ratio = narrow.metric("itl", Fidelity::cycle).value / narrow.metric("itl").value;
    EXPECT_LT(ratio, 0.95);  // the closed form counts seven cycles for a credit, the mesh takes six
    EXPECT_GT(ratio, 0.80);
}

TEST(Fidelity, answers_are_the_same_bits_every_time) {
    for (auto const fidelity : {Fidelity::analytic, Fidelity::hybrid, Fidelity::cycle}) {
        Given const given(small("opt-125m", "tree"));
        auto const a = std::get<Metrics>(given.outcome(fidelity)), b = std::get<Metrics>(given.outcome(fidelity));
        for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].value, b[i].value);
    }
}

TEST(Fidelity, breakdown_sums_to_the_total_at_every_fidelity_and_schedule) {
    for (char const* model : {"llama-3.2-1b", "llada-8b"}) {
        for (char const* schedule : {"serial", "tree"}) {
            for (auto const fidelity : {Fidelity::analytic, Fidelity::hybrid, Fidelity::cycle}) {
                Given const given(small(model, schedule));
                auto const shares = given.architecture.explain(given.inputs, given.point, fidelity).time;
                double const sum = std::accumulate(shares.begin(), shares.end(), 0.0,
                                                   [](double a, Share const& s) { return a + s.amount; });
                EXPECT_NEAR(sum / given.metric("latency", fidelity).value, 1.0, 1e-9) << model << schedule;
            }
        }
    }
}

TEST(Fidelity, tree_schedule_is_the_ideal_of_the_serial_one) {
    Given const serial(small("llama-3.2-1b", "serial")), tree(small("llama-3.2-1b", "tree"));
    EXPECT_EQ(tree.metric("itl").value, serial.metric("ideal_itl").value);
    EXPECT_EQ(tree.metric("ttft").value, serial.metric("ideal_ttft").value);
    EXPECT_LT(tree.metric("itl", Fidelity::cycle).value, serial.metric("itl", Fidelity::cycle).value);
}

TEST(SampledContexts, weigh_one_together_and_have_the_middle_as_mean) {
    for (auto const& [input, output] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {1, 1}, {12, 10}, {16, 32}, {100, 33}, {2048, 2048}, {7, 1001}}) {
        double weight = 0.0, mean = 0.0;
        for (auto const& sample : sampled_contexts(input, output, 32)) {
            weight += sample.weight;
            mean += sample.weight * static_cast<double>(sample.context);
        }
        EXPECT_NEAR(weight, 1.0, 1e-12);
        EXPECT_NEAR(mean, static_cast<double>(input) + static_cast<double>(output) / 2.0, 1e-6 * mean);
    }
    EXPECT_EQ(sampled_contexts(16, 32, 32).size(), 33U);
    EXPECT_EQ(sampled_contexts(5, 3, 32).size(), 4U);
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
}  // namespace pimdse::models::cim_mesh::test
