#include "models/chips/composition.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/shard.hpp"

#include <gtest/gtest.h>
#include <string>
#include <variant>

/// What the passes of a model exchange, against counts layer by layer and pass by pass.
namespace pimdse::models::chips::exchanges_test {
namespace {

DeviceGroup group_of(std::int64_t tensor, std::int64_t expert = 1, std::int64_t pipeline = 1) {
    DeviceGroup g;
    g.devices = tensor * expert * pipeline;
    g.tensor = tensor;
    g.expert = expert;
    g.pipeline = pipeline;
    g.link = g.stage_link = load_link(link_kind("nvlink3"));
    return g;
}

ModelRequest request_of(std::int64_t batch, std::int64_t input, std::int64_t output) {
    return {nullptr, batch, input, output};
}

LanguageModel part_of(std::string const& name, DeviceGroup const& g) {
    return std::get<LanguageModel>(shard_of(load_language_model(name), g.division()));
}

TEST(Exchanges, of_one_device_are_none) {
    auto const g = group_of(1);
    auto const passes = passes_of(request_of(1, 100, 20));
    for (auto const& all : {passes.first, passes.rest()}) {
        auto const found = exchange_of(all, load_language_model("llama-2-7b"), g, 1.0);
        EXPECT_EQ(found.stage + found.head + found.between, 0.0);
        EXPECT_EQ(found.stage_bytes + found.head_bytes + found.between_bytes, 0.0);
    }
}

TEST(Exchanges, sum_twice_in_every_layer) {
    auto const g = group_of(4);
    auto const part = part_of("llama-2-7b", g);
    auto const passes = passes_of(request_of(3, 100, 20));
    auto const sum = [&](double positions) {
        return exchange(g.link, Collective::all_reduce, 4, 3.0 * positions * 4096.0 * 2.0);
    };
    double first = 0.0, rest = 0.0, bytes = 0.0;
    for (int layer = 0; layer < 32; ++layer) {
        first += 2.0 * sum(100.0).seconds;
        bytes += 2.0 * sum(100.0).all_sent;
        for (int token = 1; token < 20; ++token) rest += 2.0 * sum(1.0).seconds;
    }
    EXPECT_NEAR(exchange_of(passes.first, part, g, 3.0).stage, first, 1e-12 * first);
    EXPECT_NEAR(exchange_of(passes.rest(), part, g, 3.0).stage, rest, 1e-9 * rest);
    EXPECT_NEAR(exchange_of(passes.first, part, g, 3.0).stage_bytes, bytes, 1e-9 * bytes);
}

// Qwen3-30B-A3B: 48 layers, 8 of 128 experts per token, 2,048 elements.
TEST(Exchanges, move_tokens_to_their_experts_and_back) {
    auto const g = group_of(1, 4);
    auto const part = part_of("qwen3-30b-a3b", g);
    auto const move = exchange(g.link, Collective::all_to_all, 4, 5.0 * 7.0 * 8.0 * 2048.0 * 2.0);
    auto const found = exchange_of({{{.queries = 7.0, .heads = 1.0}}}, part, g, 5.0);
    EXPECT_NEAR(found.stage, 48.0 * 2.0 * move.seconds, 1e-12);
    EXPECT_NEAR(found.stage_bytes, 48.0 * 2.0 * move.all_sent, 1.0);
}

// DeepSeek-V3: three of 61 layers are dense.
TEST(Exchanges, move_tokens_in_layers_with_experts_only) {
    auto const g = group_of(1, 2);
    auto const part = part_of("deepseek-v3", g);
    auto const move = exchange(g.link, Collective::all_to_all, 2, 8.0 * 7168.0 * 2.0);
    EXPECT_NEAR(exchange_of({{{.queries = 1.0, .heads = 1.0}}}, part, g, 1.0).stage, 58.0 * 2.0 * move.seconds, 1e-12);
}

TEST(Exchanges, pass_one_vector_per_position_from_stage_to_stage) {
    auto const g = group_of(2, 1, 4);
    auto const part = part_of("llama-2-7b", g);
    auto const send = exchange(g.stage_link, Collective::send, 4, 3.0 * 100.0 * 4096.0 * 2.0);
    auto const found = exchange_of({{{.queries = 100.0, .heads = 1.0}}}, part, g, 3.0);
    EXPECT_NEAR(found.between, send.seconds, 1e-15);
    EXPECT_NEAR(found.between_bytes, 2.0 * send.all_sent, 1e-6);
    // A stage has a fourth of the layers.
    auto const sum = exchange(g.link, Collective::all_reduce, 2, 3.0 * 100.0 * 4096.0 * 2.0);
    EXPECT_NEAR(found.stage, 8.0 * 2.0 * sum.seconds, 1e-12);
}

TEST(Exchanges, move_tokens_as_narrow_as_their_experts) {
    auto const g = group_of(1, 4);
    auto part = part_of("qwen3-30b-a3b", g);
    part.expert_inputs = 512;
    auto const move = exchange(g.link, Collective::all_to_all, 4, 5.0 * 7.0 * 8.0 * 512.0 * 2.0);
    EXPECT_NEAR(exchange_of({{{.queries = 7.0, .heads = 1.0}}}, part, g, 5.0).stage, 48.0 * 2.0 * move.seconds, 1e-12);
}

}  // namespace
}  // namespace pimdse::models::chips::exchanges_test
