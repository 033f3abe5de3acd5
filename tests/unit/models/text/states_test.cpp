#include "models/llm/state.hpp"

#include "models/llm/language_models.hpp"
#include "models/text/text.hpp"
#include "sim/serving/scheduler.hpp"
#include "tests/unit/models/text/given.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

/// Layers with a state, shared keys and indexers, against counts by hand.
namespace pimdse::models::text::test::states_test {
namespace {

constexpr double state_bytes_of_qwen = 36.0 * (32 * 128 * 128 * 4 + 8192 * 3 * 2);

Settings with_state(std::string const& input, std::string const& batch = "1") {
    return {{"llm", "qwen3-next-80b-a3b"}, {"device", "h100"}, {"input", input}, {"output", "9"}, {"batch", batch}};
}

OperatorWork state_work(Given const& g, PassShape const& shape) {
    return work_of(shape, g.design(), "attention.state");
}

TEST(States, are_read_and_written_once_for_every_token_of_every_sequence) {
    for (std::string const input : {"10", "100000"}) {
        for (std::int64_t const batch : {1, 7}) {
            Given const g(with_state(input, std::to_string(batch)));
            auto const d = g.design().request;
            auto const token = state_work(g, token_pass(verification_passes({}, d.input, 8)));
            double const bytes = state_bytes_of_qwen * static_cast<double>(batch);
            EXPECT_EQ(token.cache_read, bytes) << input;
            EXPECT_EQ(token.cache_written, bytes) << input;
            auto const prompt = state_work(g, prompt_pass(d));
            EXPECT_EQ(prompt.cache_read, bytes);
            EXPECT_EQ(prompt.cache_written, bytes);
        }
    }
}

TEST(States, multiply_in_chunks_for_prompts_and_one_by_one_for_tokens) {
    Given const g(with_state("1000", "3"));
    auto const d = g.design().request;
    double token = 0.0, prompt = 0.0;
    for (auto const& alike : alike_layers(*d.model)) {
        token += static_cast<double>(alike.layers) * token_state_multiplications(alike, 1.0);
        prompt += static_cast<double>(alike.layers) * prompt_state_multiplications(alike, 1000.0);
    }
    EXPECT_EQ(state_work(g, token_pass(verification_passes({}, d.input, 8))).operations, 2.0 * 3.0 * token);
    EXPECT_EQ(state_work(g, prompt_pass(d)).operations, 2.0 * 3.0 * prompt);
}

TEST(States, have_elementwise_work_around_them) {
    Given const g(with_state("1000", "3"));
    double norms = 0.0, activations = 0.0;
    auto const take = [&](Operator op, OperatorWork const& work) {
        if (op == Operator::norm) norms += work.elements;
        if (op == Operator::activation) activations += work.elements;
    };
    auto const& r = g.design().request;
    for (auto const& layers : layer_work(r)) layer_operators(layers, r, 3.0, take);
    double const network = 512.0 + 10 * 512, heads = 32 * 128.0, keys = 16 * 128.0;
    EXPECT_EQ(activations, 3.0 * (48 * network + 36 * ((2 * keys + heads) + heads + 2 * 32)));
    EXPECT_EQ(norms, 3.0 * (48 * 2 * 2048 + 36 * (2 * keys + heads)));
}

TEST(States, take_memory_once_for_a_sequence_of_any_length) {
    auto const held = [](Settings const& settings) { return bytes_held(Given(settings).design()); };
    double const keys = 12 * 2 * 2 * 256 * 2;
    EXPECT_EQ(held(with_state("2000")) - held(with_state("1000")), 1000.0 * keys);
    EXPECT_NEAR(held(with_state("1000", "2")) - held(with_state("1000")), state_bytes_of_qwen + 1009.0 * keys, 1e-3);
    auto const proposed = with_state("1000").with("draft", "3");
    EXPECT_NEAR(held(proposed) - held(with_state("1000")), 3.0 * state_bytes_of_qwen, 1e-3)
        << "the state behind each of four positions may be the next one";
}

TEST(States, take_blocks_of_the_cache_under_traffic) {
    auto const engine = std::get<ServiceEngine>(service_engine(Given(with_state("10")).design()));
    EXPECT_EQ(engine.state_bytes, state_bytes_of_qwen);
    EXPECT_EQ(engine.position_bytes, 24576.0);
    EXPECT_EQ(engine.moved.state_bytes, state_bytes_of_qwen);
}

TEST(States, of_layers_that_share_keys_are_none) {
    Given const g({{"llm", "gemma-3n-e4b"}, {"device", "h100"}, {"input", "400"}, {"output", "9"}});
    auto const d = g.design().request;
    auto const shape = token_pass(verification_passes({}, d.input, 8));
    auto const work = work_of(shape, g.design(), "attention.");
    double const mean = 400 + 4.5, position = 2 * 2 * 256 * 2;
    EXPECT_NEAR(work.cache_read, 35.0 * mean * position, 1e-6) << "every layer reads keys";
    EXPECT_NEAR(work.cache_written, 20.0 * position, 1e-9) << "twenty layers have some of their own";
    EXPECT_NEAR(bytes_held(g.design()) - weight_footprint(d), 20.0 * 409 * position, 1e-3);
}

TEST(States, of_an_indexer_are_a_key_of_each_position) {
    Given const g({{"llm", "deepseek-v3.2"}, {"device", "h100"}, {"input", "5000"}, {"output", "9"}});
    auto const d = g.design().request;
    auto const shape = token_pass(verification_passes({}, d.input, 8));
    auto const work = work_of(shape, g.design(), "attention.");
    double const context = 5000 + 4.5;
    EXPECT_NEAR(work.cache_read, 61.0 * 2.0 * (2048 * 576 + context * 128), 1.0);
    EXPECT_NEAR(work.cache_written, 61.0 * 2.0 * (576 + 128), 1e-6);
    EXPECT_NEAR(work.operations, 61.0 * 2.0 * (2048.0 * 128 * (2 * 512 + 64) + context * 64 * 128), 1e3);
}

TEST(States, of_compressed_keys_are_a_share_of_one_for_each_position) {
    Given const g({{"llm", "deepseek-v4-flash"}, {"device", "h100"}, {"input", "5000"}, {"output", "9"}});
    auto const d = g.design().request;
    auto const work = work_of(token_pass(verification_passes({}, d.input, 8)), g.design(), "attention.");
    double const context = 5000 + 4.5, window = 128, element = 2.0;
    double const sparse = window + 512, heavy = window + context / 128;
    EXPECT_NEAR(work.cache_read, element * (512 * (2 * window + 21 * sparse + 20 * heavy) + 21 * 128 * context / 4),
                1.0);
    EXPECT_NEAR(work.cache_written, element * (512 * (2 + 21 * 1.25 + 20 * (1 + 1.0 / 128)) + 21 * 128 / 4.0), 1e-6);
    EXPECT_NEAR(work.operations,
                2.0 * (64 * 1024 * (2 * window + 21 * sparse + 20 * heavy) + 21 * 64 * 128 * context / 4), 1e3);
    EXPECT_NEAR(bytes_held(g.design()) - weight_footprint(d),
                element * (43 * 512 * window + 5009 * (21 * (512 + 128) / 4.0 + 20 * 512 / 128.0)), 1e-3);
}

/// Nor is latent attention; what attends on a processor, or may, has both.
TEST(States, are_not_for_units_in_banks) {
    for (auto const* llm : {"nemotron-h-8b", "deepseek-v3"}) {
        EXPECT_EQ(Given(shipped("aim_card"), {{"llm", llm}}).rule(), "layers") << llm;
        for (auto const* machine : {"hbm_pim", "lpddr5x_pim"})
            EXPECT_NE(Given(shipped(machine), {{"llm", llm}}).rule(), "layers") << llm << " on " << machine;
    }
}

}  // namespace
}  // namespace pimdse::models::text::test::states_test
