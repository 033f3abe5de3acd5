#include "models/llm/state.hpp"

#include "models/llm/language_models.hpp"
#include "models/llm/shard.hpp"

#include <gtest/gtest.h>
#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::models::state_test {
namespace {

LanguageModel layer_with(StateMixer const& state) {
    LanguageModel m;
    m.layers = 1;
    m.hidden = 32;
    m.attends = false;
    m.state = state;
    m.vocabulary = 1;
    return m;
}

/// Counts multiply-accumulates one by one.
struct Counter {
    double count = 0.0;
    void product(std::int64_t rows, std::int64_t inputs, std::int64_t outputs) {
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t i = 0; i < inputs; ++i)
                for (std::int64_t o = 0; o < outputs; ++o) count += 1.0;
    }
    /// Rows of the inverse of a triangular matrix, each from those before it, of which row j has j + 1 elements.
    void inverse(std::int64_t size) {
        for (std::int64_t i = 0; i < size; ++i)
            for (std::int64_t j = 0; j < i; ++j) product(1, 1, j + 1);
    }
};

/// A chunk of gated DeltaNet in its chunkwise form (arXiv:2412.06464, section 3.3) for every head.
double delta_chunk(StateMixer const& s, std::int64_t c) {
    Counter counter;
    std::int64_t const keys = s.key_dimension, values = s.value_dimension;
    for (std::int64_t head = 0; head < s.heads; ++head) {
        counter.product(c, keys, c);  // keys with keys
        counter.inverse(c);
        counter.product(c, c, keys);       // W
        counter.product(c, c, values);     // U
        counter.product(c, keys, values);  // what W finds in the state
        counter.product(c, keys, c);       // queries with keys
        counter.product(c, c, values);
        counter.product(c, keys, values);  // queries with the state
        counter.product(keys, c, values);  // what the chunk adds to the state
        counter.product(keys, 1, values);  // the state decays
    }
    counter.product(c, s.convolution, 2 * s.key_width() + s.value_width());
    return counter.count;
}

/// A chunk of SSD (arXiv:2405.21060, section 6): scores are those of a group.
double ssd_chunk(StateMixer const& s, std::int64_t c) {
    Counter counter;
    for (std::int64_t group = 0; group < s.key_heads; ++group) counter.product(c, s.key_dimension, c);
    for (std::int64_t head = 0; head < s.heads; ++head) {
        counter.product(c, c, s.value_dimension);
        counter.product(s.key_dimension, c, s.value_dimension);
        counter.product(c, s.key_dimension, s.value_dimension);
        counter.product(s.key_dimension, 1, s.value_dimension);
    }
    counter.product(c, s.convolution, 2 * s.key_width() + s.value_width());
    return counter.count;
}

TEST(State, multiplies_as_often_as_counting_every_product_of_a_chunk_finds) {
    StateMixer delta{StateKind::gated_delta, 4, 2, 6, 5, 4, 0, 1}, ssd{StateKind::mamba2, 6, 2, 8, 3, 4, 0, 1};
    for (std::int64_t const chunk : {1, 2, 7, 16}) {
        delta.chunk = ssd.chunk = chunk;
        auto const of_chunk = static_cast<double>(chunk);
        EXPECT_NEAR(prompt_state_multiplications(layer_with(delta), of_chunk), delta_chunk(delta, chunk), 1e-6);
        EXPECT_NEAR(prompt_state_multiplications(layer_with(ssd), of_chunk), ssd_chunk(ssd, chunk), 1e-6);
    }
    EXPECT_EQ(token_state_multiplications(layer_with(delta), 3.0), 3.0 * delta_chunk(delta, 1));
    EXPECT_EQ(token_state_multiplications(layer_with(ssd), 3.0), 3.0 * ssd_chunk(ssd, 1));
}

TEST(State, of_the_parts_of_a_prompt_add_up_to_that_of_the_prompt) {
    auto const model = load_language_model("qwen3-next-80b-a3b");
    for (auto const& alike : alike_layers(model))
        EXPECT_EQ(prompt_state_multiplications(alike, 100.0),
                  prompt_state_multiplications(alike, 75.0) + prompt_state_multiplications(alike, 25.0));
}

struct Known {
    std::string model;
    std::int64_t parameters, cached, state, convolution;
};

// Totals of the weights in the published files (without modules that predict further tokens), elements that a token
// caches, and of the state of a sequence.
TEST(State, of_published_models) {
    std::vector<Known> const all{
        {"qwen3-next-80b-a3b", 79'674'391'296, 12'288, 36 * 32 * 128 * 128, 36 * 8192 * 3},
        {"nemotron-h-8b", 8'100'852'736, 4 * 2 * 8 * 128, 24 * 128 * 64 * 128, 24 * 10240 * 3},
        {"gemma-3n-e4b", 6'866'696'688, 20 * 2 * 2 * 256, 0, 0},
        {"deepseek-v3.2", 671'877'944'064, 61 * (576 + 128), 0, 0},
        {"lfm2-350m", 354'483'968, 6 * 2 * 8 * 64, 0, 10 * 1024 * 2},
        {"mamba2-130m", 128'989'632, 0, 24 * 24 * 64 * 128, 24 * 1792 * 3},
        // A layer of DeepSeek-V3 with experts, a matrix that joins two vectors, three norms; no tables.
        {"deepseek-v3-mtp", 11'507'286'272 + 14336 * 7168 + 3 * 7168, 576, 0, 0}};
    for (auto const& known : all) {
        auto const model = load_language_model(known.model);
        EXPECT_EQ(total_parameters(model), known.parameters) << known.model;
        EXPECT_EQ(position_elements(model), known.cached) << known.model;
        EXPECT_EQ(sequence_state_bytes(model),
                  static_cast<double>(4 * known.state) + static_cast<double>(2 * known.convolution))
            << known.model;
    }
}

TEST(State, of_every_kind_has_the_matrices_of_its_layer) {
    auto const weights = [](StateMixer const& s) { return layer_weights(layer_with(s)); };
    // 4 heads of 5 values, 2 of 6 keys: queries, keys 12 each, values and gate 20 each
    EXPECT_EQ(weights({StateKind::gated_delta, 4, 2, 6, 5}), 32 * (2 * 12 + 2 * 20) + 32 * 8 + 20 * 32);
    EXPECT_EQ(weights({StateKind::kimi_delta, 4, 4, 6, 5, 4, 3, 64, 3}),
              32 * (48 + 20) + 32 * 3 + 3 * 24 + 32 * 4 + 32 * 3 + 3 * 20 + 20 * 32);
    EXPECT_EQ(weights({StateKind::kimi_delta, 4, 4, 6, 5, 4, 3}),  // one matrix for the gate
              32 * (48 + 20) + 32 * 3 + 3 * 24 + 32 * 4 + 32 * 20 + 20 * 32);
    EXPECT_EQ(weights({StateKind::kimi_delta, 4, 4, 6, 5, 4}),  // and for the decay
              32 * (48 + 20) + 32 * 24 + 32 * 4 + 32 * 20 + 20 * 32);
    EXPECT_EQ(weights({StateKind::mamba2, 4, 2, 6, 5}), 32 * (2 * 20 + 2 * 12 + 4) + 20 * 32);
    EXPECT_EQ(weights({StateKind::mamba, 64, 1, 16, 1, 4, 2}), 32 * 128 + 64 * (2 + 32) + 2 * 64 + 64 * 32);
    EXPECT_EQ(weights({StateKind::linear, 4, 4, 6, 5}), 32 * (2 * 24 + 2 * 20) + 20 * 32);
    EXPECT_EQ(weights({StateKind::convolution, 32, 0, 0, 1, 3}), 32 * 96 + 32 * 32);
    EXPECT_EQ(convolution_elements(layer_with({StateKind::convolution, 32, 0, 0, 1, 3})), 64);
    EXPECT_EQ(state_elements(layer_with({StateKind::convolution, 32, 0, 0, 1, 3})), 0);
}

// Element by element of the modules that models ship with: 4 heads of 5 values, 2 of 6 keys.
TEST(State, of_every_kind_has_the_elementwise_work_of_its_module) {
    auto const expect = [](StateMixer const& s, std::int64_t activated, std::int64_t normalised) {
        auto const found = elementwise_of_state(layer_with(s));
        EXPECT_EQ(found.activated, activated) << name_of(s.kind);
        EXPECT_EQ(found.normalised, normalised) << name_of(s.kind);
    };
    // SiLU behind the convolution of q, k, v; gate of the output; decay and step of each head. Norms of q, k, output.
    expect({StateKind::gated_delta, 4, 2, 6, 5, 4}, (12 + 12 + 20) + 20 + 4 + 4, 12 + 12 + 20);
    // a decay of each element of the keys
    expect({StateKind::kimi_delta, 4, 4, 6, 5, 4, 3}, (24 + 24 + 20) + 20 + 24 + 4, 24 + 24 + 20);
    // SiLU behind the convolution of x, B, C; gate; step and decay of each head. A norm of the output.
    expect({StateKind::mamba2, 4, 2, 6, 5, 4}, (20 + 12 + 12) + 20 + 4 + 4, 20);
    expect({StateKind::mamba2, 4, 2, 6, 5}, 20 + 4 + 4, 20);
    // 64 channels: SiLU, gate, step; the decays of their elements never leave the scan
    expect({StateKind::mamba, 64, 1, 16, 1, 4, 2}, 64 + 64 + 64, 0);
    expect({StateKind::linear, 4, 4, 6, 5}, (24 + 24 + 20) + 20, 20);
    // two gates that multiply are multiplications
    StateMixer const gates{StateKind::convolution, 32, 0, 0, 1, 3};
    expect(gates, 0, 0);
    EXPECT_EQ(token_state_multiplications(layer_with(gates), 7.0), 7.0 * (3 * 32 + 32 + 32));
}

TEST(State, is_divided_by_heads) {
    auto const model = load_language_model("qwen3-next-80b-a3b");
    for (std::int64_t const tensor : {2, 4, 16}) {
        auto const part = std::get<LanguageModel>(shard_of(model, {tensor, 1, 1}));
        EXPECT_EQ(sequence_state_bytes(part) * static_cast<double>(tensor), sequence_state_bytes(model)) << tensor;
    }
    // Eight groups on sixteen devices: each has its own 8 of 128 heads, and the group of these.
    auto const mamba = std::get<LanguageModel>(shard_of(load_language_model("nemotron-h-8b"), {16, 1, 1}));
    auto const& s = alike_layers(mamba).front().state;
    EXPECT_EQ(s.heads, 8);
    EXPECT_EQ(s.key_heads, 1);
}

}  // namespace
}  // namespace pimdse::models::state_test
