#include "models/cim_mesh/layer/program.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::cim_mesh::test::saturation_test {
namespace {

TEST(Saturation, of_the_published_machine_is_far_away) {
    for (char const* model : {"llama-3.2-1b", "llama-2-13b"}) {
        Given const given({{"llm", model}});
        EXPECT_GT(given.metric("prompt_load").value, 0.01);
        EXPECT_LT(given.metric("prompt_load").value, 0.3);
    }
}

/// A prompt so short that softmax takes no time, on tiles so small that every vector passes the same few links.
TEST(Saturation, stays_below_85_percent_of_the_busiest_link_on_the_smallest_tiles) {
    for (char const* model : {"opt-125m", "llama-3.2-1b"}) {
        for (char const* rows : {"8", "12", "16", "64"}) {
            Given const given({{"llm", model},
                               {"input", "8"},
                               {"output", "8"},
                               {"mesh_rows", rows},
                               {"mesh_cols", "8"},
                               {"lora_rank", "0"}});
            ASSERT_TRUE(std::holds_alternative<Metrics>(given.outcome())) << model << " " << rows;
            EXPECT_GT(given.metric("prompt_load").value, 0.0) << model << " " << rows;
            EXPECT_LE(given.metric("prompt_load").value, 0.85) << model << " " << rows;
        }
    }
}

TEST(Saturation, paces_the_prompt_under_tree_collectives) {
    for (char const* input : {"8", "64", "512"}) {
        Given const given(
            {{"llm", "llama-3.2-1b"}, {"schedule", "tree"}, {"input", input}, {"output", "8"}, {"lora_rank", "0"}});
        ASSERT_TRUE(std::holds_alternative<Metrics>(given.outcome()));
        EXPECT_LE(given.metric("prompt_load").value, 0.85) << input;
    }
}

Given over_narrow_borders(char const* bits, char const* input) {
    return Given({{"llm", "llama-2-7b"}, {"input", input}, {"output", "1"}, {"die_link_bits", bits}});
}

/// Tokens of a prompt wait for the busiest link: every further one takes at least its time at 85 %.
TEST(Saturation, slows_the_prompt_down_instead_of_refusing_it) {
    for (char const* bits : {"1", "8", "64"}) {
        double before = 0.0;
        for (char const* input : {"1", "2", "16", "256", "2048"}) {
            Given const given = over_narrow_borders(bits, input);
            ASSERT_TRUE(std::holds_alternative<Metrics>(given.outcome())) << bits << " " << input;
            double const now = given.metric("ttft").value;
            EXPECT_GT(now, before) << bits << " " << input;
            EXPECT_LE(given.metric("prompt_load").value, 0.85) << bits << " " << input;
            Placed const placed(
                Settings{{"llm", "llama-2-7b"}, {"input", input}, {"output", "1"}, {"die_link_bits", bits}});
            double const link = placed.form.busiest_link(placed.counts.prompt_link) / 0.85;
            EXPECT_GE(now, 32 * (std::stod(input) - 1.0) * link * 1e-9) << bits << " " << input;
            before = now;
        }
    }
}

TEST(Saturation, of_a_wider_border_is_never_worse) {
    for (char const* input : {"1", "16", "2048"}) {
        double before = 1e9;
        for (char const* bits : {"1", "2", "8", "32", "64", "256"}) {
            double const now = over_narrow_borders(bits, input).metric("ttft").value;
            EXPECT_LE(now, before) << input << " " << bits;
            before = now;
        }
    }
}

/// Nothing follows a single token: its time is that of a token, and no link limits it.
TEST(Saturation, does_not_exist_for_a_single_token) {
    Given const given = over_narrow_borders("1", "1");
    auto const time = given.explain().time;
    for (auto const& part : time) EXPECT_NE(part.what, "prefill/busiest link");
    Placed const placed(Settings{{"llm", "llama-2-7b"}, {"input", "1"}, {"output", "1"}, {"die_link_bits", "1"}});
    double const token = 32 * placed.form.decode(1.0).total() * 1e-9;
    EXPECT_NEAR(given.metric("ttft").value, token, 1e-4 * token);  // chains take whole cycles
}

/// `judged` compares what packing and the search give at cycle level: it is never slower than packing, and never
/// infeasible where packing is not.
TEST(Saturation, leaves_judged_placements_no_worse_than_packed_ones) {
    for (char const* bits : {"4", "8", "64", "0"}) {
        auto const latency = [&](char const* placement) {
            Given const given({{"llm", "llama-2-7b"},
                               {"input", "256"},
                               {"output", "1"},
                               {"mesh_rows", "8"},
                               {"die_link_bits", bits},
                               {"softmax_rate", "256"},
                               {"scratchpad", "131072"},
                               {"placement", placement}});
            auto const outcome = given.outcome(Fidelity::cycle);
            EXPECT_TRUE(std::holds_alternative<Metrics>(outcome)) << bits << placement;
            return given.metric("latency", Fidelity::cycle).value;
        };
        EXPECT_LE(latency("judged"), latency("packed")) << bits;
    }
}

TEST(Saturation, of_a_link_costs_a_cycle_a_message) { EXPECT_DOUBLE_EQ(saturated_cycles(64.0, 32), 66.0); }

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::saturation_test
