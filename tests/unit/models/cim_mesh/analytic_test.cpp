#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/cim_mesh/power.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::cim_mesh::test::analytic_test {
namespace {

/// Keys stream by in whole cycles, the closed form does not.
constexpr double of_whole_cycles = 1e-5;

TEST(Latency, of_a_decoded_token_is_affine_in_the_context) {
    // 1B by hand (README.md): 836 additions of 34.372, seven routes of 146 hops together, 51 / 16 of 102 hops back,
    // LoRA 23.93 x 8; per key 34.372 + 3.374 x 4 + 0.1144 x 21.07 hops.
    Placed const one({{"llm", "llama-3.2-1b"}, {"lora_targets", "q"}});
    double const routes = 146 * 4 + 7 * 37 + 102 * 4 / 16.0;
    EXPECT_EQ(one.counts.fill, 146);
    EXPECT_EQ(one.counts.walk_back, 102);
    double const route = one.layer.holder_routes(one.layer.max_owners()).mean;
    EXPECT_NEAR(route, 21.07, 0.005);
    EXPECT_NEAR(one.form.decode(0.0).total(), 34.372 * 836 + routes + 23.93 * 8, 1e-6);
    EXPECT_NEAR(one.form.decode(2000.0).total() - one.form.decode(1000.0).total(),
                1000 * (34.372 + 3.374 * 4 + 0.1144 * route), 1e-6);
}

/// The last token as a decoded one, and those before it at the pace of the busiest router; token i adds 2 i pairs.
TEST(Latency, of_a_prompt_is_its_fill_and_the_pace_of_all_others) {
    Placed const thirteen({{"llm", "llama-2-13b"}, {"lora_targets", "q"}});
    EXPECT_EQ(thirteen.counts.busiest_router, 202);
    auto const prompt = thirteen.form.prefill(1000);
    EXPECT_EQ(prompt.fill, thirteen.form.decode(1000.0).total());
    EXPECT_NEAR(prompt.before.total(), 999 * (2.297 * 34.372 * 202 + 23.93 * 20) + 3.374 * 2 * 1000.0 * 999.0, 1e-3);
}

TEST(Latency, of_one_prompt_token_is_that_of_a_decoded_token) {
    for (char const* schedule : {"serial", "tree"}) {
        for (char const* model : {"llama-3.2-1b", "llama-2-13b", "opt-125m", "qwen2.5-0.5b"}) {
            for (char const* machine : {"primal", "leap-a", "leap-d"}) {
                Given const g({{"llm", model},
                               {"input", "1"},
                               {"output", "2"},
                               {"schedule", schedule},
                               {"machine", machine},
                               {"lora_targets", "none"}});
                // The decoded token has one key more.
                EXPECT_NEAR(g.metric("ttft").value / g.metric("itl").value, 1.0, 0.05) << model << machine << schedule;
                EXPECT_LE(g.metric("ttft").value, g.metric("itl").value) << model << machine << schedule;
            }
        }
    }
}

/// A token more costs no more than one alone, wherever prompts end.
TEST(Latency, of_a_prompt_does_not_jump_when_a_token_is_added) {
    int turn = 0;
    for (char const* schedule : {"serial", "tree"}) {
        for (auto const& setting : std::vector<Setting>{{"llm", "llama-2-13b"},
                                                        {"llm", "llama-3.2-1b"},
                                                        {"batch", "16"},
                                                        {"context_tile", "64"},
                                                        {"scratchpad", "4096"},
                                                        {"machine", "leap-d"},
                                                        {"smac_cycles", "3000"}}) {
            double before = 0.0;
            tests::Stretch const inputs(1, 260, turn++);
            for (int input = inputs.first; input < inputs.end; ++input) {
                Given const g({{"llm", "llama-3.2-1b"},
                               {"output", "2"},
                               {"schedule", schedule},
                               {"input", std::to_string(input)},
                               setting});
                if (!std::holds_alternative<Metrics>(g.outcome())) break;
                double const ttft = g.metric("first_ttft").value;
                EXPECT_GE(ttft, before) << input;
                if (input > inputs.first || input == 1) {
                    EXPECT_LE(ttft - before, 1.02 * g.metric("itl").value)
                        << schedule << setting.second << " " << input;
                }
                before = ttft;
            }
            EXPECT_GT(before, 0.0) << setting.second;
        }
    }
}

/// From the parameters alone: no unit does a token of every layer in less than its own time.
TEST(Latency, of_a_prompt_is_no_less_than_the_work_of_its_slowest_unit) {
    for (char const* schedule : {"serial", "tree"}) {
        Settings const slow{{"llm", "llama-2-13b"},
                            {"input", "512"},
                            {"output", "2"},
                            {"schedule", schedule},
                            {"smac_cycles", "1000000"}};
        EXPECT_GE(Given(slow).metric("ttft").value, 40 * 512 * 1e6 / 1e9);
        EXPECT_LE(Given(slow).metric("ttft").value, 1.02 * 40 * (512 + 6) * 1e6 / 1e9);
        // Adapters of rank 64 on everything: 8 + 128 cycles a slice and matrix.
        Given const adapted({{"llm", "llama-2-13b"},
                             {"input", "512"},
                             {"output", "2"},
                             {"schedule", schedule},
                             {"lora_targets", "all"},
                             {"lora_rank", "64"}});
        EXPECT_GE(adapted.metric("ttft").value, 40 * 512 * 7 * 20 * 128 / 1e9);
        // One multiplier: all products of queries with keys and values, on all routers of the layer.
        Given const few(
            {{"llm", "llama-2-13b"}, {"input", "512"}, {"output", "2"}, {"schedule", schedule}, {"dmacs", "1"}});
        EXPECT_GE(few.metric("ttft").value, 40 * 2.0 * 5120 * 512 * 512 / 4840 / 1e9);
    }
}

TEST(Latency, of_a_longer_prompt_is_never_less) {
    int turn = 0;
    for (char const* schedule : {"serial", "tree"}) {
        double before = 0.0, ideal_before = 0.0;
        tests::Stretch const inputs(1, 1000, turn++);
        for (int input = inputs.first; input < inputs.end; ++input) {
            Given const g(
                {{"llm", "opt-350m"}, {"output", "16"}, {"schedule", schedule}, {"input", std::to_string(input)}});
            double const ttft = g.metric("ttft").value, ideal = g.metric("ideal_ttft").value;
            ASSERT_GE(ttft, before) << schedule << " " << input;
            ASSERT_GE(ideal, ideal_before) << schedule << " " << input;
            before = ttft, ideal_before = ideal;
        }
    }
}

TEST(Latency, of_a_longer_prompt_is_never_less_in_the_simulated_network) {
    double before = 0.0;
    for (int input = 1; input < 50; ++input) {
        Given const g(with(small("opt-125m", "tree"), {{"fifo_bytes", "32"}, {"input", std::to_string(input)}}));
        double const ttft = g.metric("ttft", Fidelity::cycle).value;
        ASSERT_GE(ttft, before) << input;
        before = ttft;
    }
}

TEST(Latency, of_a_hop_follows_crossbar_link_fifo_and_multipliers) {
    auto const hop = [](Settings const& settings) { return Placed(settings).form.hop(); };
    EXPECT_DOUBLE_EQ(hop({}), 34.372);
    EXPECT_DOUBLE_EQ(hop({{"link_bits", "32"}}), 66.372);
    EXPECT_DOUBLE_EQ(hop({{"crossbar", "128"}, {"input", "512"}}), 18.372);
    EXPECT_DOUBLE_EQ(hop({{"fifo_bytes", "56"}}), 34.372);
    EXPECT_DOUBLE_EQ(hop({{"fifo_bytes", "48"}}), 32.0 * 7.0 / 6.0 + 2.372);
    EXPECT_DOUBLE_EQ(hop({{"dmacs", "8"}}), 34.372);
    EXPECT_DOUBLE_EQ(hop({{"dmacs", "4"}}), 66.372);
}

TEST(Latency, of_a_key_is_bound_by_the_multipliers_below_sixteen) {
    auto const step = [](char const* dmacs) { return Placed({{"dmacs", dmacs}}).form.key_step(); };
    EXPECT_DOUBLE_EQ(step("64"), 34.372);
    EXPECT_DOUBLE_EQ(step("16"), 34.372);
    EXPECT_DOUBLE_EQ(step("8"), 64.0);
}

TEST(Latency, gains_twice_the_rank_of_the_adapters) {
    auto const adapters = [](char const* rank) {
        return Placed({{"lora_rank", rank}, {"lora_targets", "q"}}).form.adapters_per_token();
    };
    EXPECT_DOUBLE_EQ(adapters("8"), 23.93 * 20);
    EXPECT_DOUBLE_EQ(adapters("16"), 39.93 * 20);
    EXPECT_DOUBLE_EQ(adapters("0"), 0.0);
}

TEST(Latency, of_the_published_adapters_grows_by_the_published_steps) {
    struct Row {
        char const* model;
        char const* length;
        double ttft, itl;
    };
    for (auto const& row : {Row{"llama-3.2-1b", "1024", 0.003, 3e-6}, Row{"llama-3.2-1b", "2048", 0.007, 3e-6},
                            Row{"llama-2-13b", "1024", 0.020, 19e-6}, Row{"llama-2-13b", "2048", 0.039, 19e-6}}) {
        Given const q({{"llm", row.model}, {"input", row.length}, {"output", row.length}, {"lora_targets", "q"}});
        Given const qv({{"llm", row.model}, {"input", row.length}, {"output", row.length}, {"lora_targets", "q+v"}});
        EXPECT_NEAR((qv.metric("ttft").value - q.metric("ttft").value) / row.ttft, 1.0, 0.2) << row.model << row.length;
        EXPECT_NEAR((qv.metric("itl").value - q.metric("itl").value) / row.itl, 1.0, 0.2) << row.model << row.length;
    }
}

TEST(Latency, identity_of_throughput_holds) {
    for (char const* model : {"llama-3.2-1b", "llama-2-13b", "qwen2.5-7b", "opt-6.7b"}) {
        Given const given({{"llm", model}, {"input", "1024"}, {"output", "512"}});
        double const latency = given.metric("ttft").value + 511 * given.metric("itl").value;
        EXPECT_NEAR(given.metric("throughput_with_prompt").value * latency / 1536.0, 1.0, 0.0005);
        EXPECT_NEAR(given.metric("tokens_per_second").value * latency / 512.0, 1.0, 1e-12);
        EXPECT_NEAR(given.metric("latency").value / latency, 1.0, 1e-12);
        EXPECT_NEAR(given.metric("tokens_per_joule_with_prompt").value * given.metric("power").value /
                        given.metric("throughput_with_prompt").value,
                    1.0, 1e-12);
    }
}

TEST(Latency, of_a_diffusion_model_is_its_steps) {
    Settings const request{{"llm", "llada-8b"},     {"generation", "diffusion"}, {"input", "96"},
                           {"output", "32"},        {"block_length", "8"},       {"steps", "4"},
                           {"lora_targets", "none"}};
    auto const seconds = [&](char const* cache) {
        return Given(with(request, "model_cache", cache)).metric("latency").value;
    };
    Placed const p(request);
    auto const pass = [&](double queries) { return 32 * p.form.pass(queries, 128).total() / 1e9; };
    EXPECT_NEAR(p.given.metric("ttft").value / pass(128), 1.0, of_whole_cycles);
    EXPECT_NEAR(seconds("dual") / (4 * pass(128) + 12 * pass(8)), 1.0, of_whole_cycles);
    EXPECT_NEAR(seconds("prefix") / (4 * pass(128) + 3 * (pass(32) + pass(24) + pass(16) + pass(8))), 1.0,
                of_whole_cycles);
    double const rest = seconds("dual") - p.given.metric("ttft").value;
    EXPECT_NEAR(p.given.metric("itl").value / (rest / 31), 1.0, 1e-12);
}

TEST(Latency, without_a_cache_is_full_steps) {
    Placed const p({{"llm", "llada-8b"},
                    {"generation", "diffusion"},
                    {"input", "96"},
                    {"output", "32"},
                    {"steps", "4"},
                    {"model_cache", "none"},
                    {"lora_targets", "none"}});
    EXPECT_NEAR(p.given.metric("latency").value / (4 * 32 * p.form.pass(128.0, 128).total() / 1e9), 1.0,
                of_whole_cycles);
}

TEST(Latency, waits_for_adapters_that_a_short_prompt_does_not_hide) {
    Placed const p({{"input", "1"}, {"output", "8"}, {"lora_targets", "all"}, {"lora_rank", "64"}});
    auto const& given = p.given;
    double const reprogram = reprogram_time(given.machine, given.design, given.parts);
    double const layer = p.form.prefill(1).total() / 1e9;
    ASSERT_GT(reprogram, layer);
    EXPECT_NEAR(given.metric("ttft").value, reprogram + 39 * (reprogram - layer) + 40 * layer,
                40 * of_whole_cycles * layer);
}

TEST(Latency, breakdown_sums_to_the_totals_of_every_model) {
    for (char const* model : {"llama-3.2-1b", "llama-2-13b", "llada-moe-7b-a1b", "opt-125m", "llama-3-70b"}) {
        bool const diffuses = std::string_view(model).starts_with("llada");
        Given const given({{"llm", model},
                           {"input", "64"},
                           {"output", "32"},
                           {"generation", diffuses ? "diffusion" : "autoregressive"}});
        auto const breakdown = given.explain();
        EXPECT_NEAR(models::sum_of(breakdown.time) / given.metric("latency").value, 1.0, 1e-9) << model;
        EXPECT_NEAR(models::sum_of(breakdown.energy) / given.metric("energy").value, 1.0, 1e-9) << model;
        EXPECT_NEAR(models::sum_of(breakdown.area) / given.metric("area").value, 1.0, 1e-9) << model;
    }
}

TEST(Latency, under_ideal_collectives_is_never_longer) {
    for (char const* model : {"llama-3.2-1b", "llama-2-13b", "opt-6.7b", "qwen2.5-0.5b"}) {
        Given const given({{"llm", model}, {"input", "512"}, {"output", "512"}});
        EXPECT_LT(given.metric("ideal_itl").value, given.metric("itl").value) << model;
        EXPECT_LT(given.metric("ideal_ttft").value, given.metric("ttft").value) << model;
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::analytic_test
