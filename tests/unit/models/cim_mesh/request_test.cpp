#include "models/cim_mesh/layer/layer_time.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace pimdse::models::cim_mesh::test::request_test {
namespace {

/// Every pass of every request, entering each layer when it and the layer before are free: the slow, obvious reference.
double walked(std::int64_t requests, std::int64_t layers, std::int64_t tokens, double prompt, double token) {
    std::vector<double> layer_free(static_cast<std::size_t>(layers), 0.0);
    std::vector<double> ready(static_cast<std::size_t>(requests), 0.0);
    for (std::int64_t pass = 0; pass <= tokens; ++pass) {
        for (auto& at : ready) {
            for (auto& free : layer_free) at = free = std::max(at, free) + (pass == 0 ? prompt : token);
        }
    }
    return *std::max_element(ready.begin(), ready.end());
}

TEST(Batch, follows_through_the_layers) {
    constexpr double layers = 16.0;
    Settings const one{
        {"llm", "llama-3.2-1b"}, {"input", "64"}, {"output", "32"}, {"lora_targets", "none"}, {"scratchpad", "262144"}};
    Given const alone(one);
    double const prompt = alone.metric("ttft").value / layers, token = alone.metric("itl").value / layers;
    for (char const* requests : {"1", "2", "7", "16", "24", "64"}) {
        Given const many(with(one, "batch", requests));
        double const reference = walked(many.design.batch, 16, 31, prompt, token);
        // Beyond as many requests as layers, tokens of the first round start before the last prompt is through.
        EXPECT_NEAR(many.metric("latency").value / reference, 1.0, many.design.batch > 16 ? 0.02 : 1e-9) << requests;
        EXPECT_GE(many.metric("latency").value, reference * (1.0 - 1e-12)) << requests;
    }
}

TEST(Batch, works_more_in_less_time) {
    Settings const request{{"llm", "llama-3.2-1b"}, {"input", "256"}, {"output", "64"}};
    auto const at = [&](char const* requests, char const* metric) {
        return Given(with(request, "batch", requests)).metric(metric).value;
    };
    EXPECT_EQ(at("4", "itl"), at("1", "itl"));
    EXPECT_EQ(at("4", "first_ttft"), at("1", "first_ttft"));
    EXPECT_EQ(at("1", "ttft"), at("1", "first_ttft"));
    EXPECT_GT(at("4", "ttft"), at("1", "ttft"));
    EXPECT_GT(at("4", "tokens_per_second"), 3 * at("1", "tokens_per_second"));
    EXPECT_LT(at("4", "energy_per_token"), at("1", "energy_per_token"));
    EXPECT_EQ(at("4", "idle_power"), at("1", "idle_power"));
}

TEST(LmHead, is_left_out_by_the_papers_figures) {
    Settings const row{{"llm", "llama-3.2-1b"}, {"input", "1024"}, {"output", "1024"}, {"lm_head", "counted"}};
    EXPECT_GT(Given(row).metric("itl").value, 1.03 * 1.708e-3);
}

TEST(LmHead, is_a_matrix_of_its_own_tiles) {
    Placed const p({{"llm", "llama-3.2-1b"}, {"lm_head", "counted"}});
    EXPECT_EQ(p.given.parts.head.rows, 8);
    EXPECT_EQ(p.given.parts.head.cols, 501);
    // 3,507 additions; 4,008 crossbars are 126 columns on four tiles, whose borders no chain crosses: twice 79.5 + 3
    // hops.
    EXPECT_NEAR(head_cycles(p.given.machine, p.given.design, p.given.parts, 1.0),
                34.372 * 3507 + 2 * 4 * (79.5 + 3) + 2 * 37, 1e-6);
    Placed const skipped({{"llm", "llama-3.2-1b"}});
    EXPECT_EQ(head_cycles(skipped.given.machine, skipped.given.design, skipped.given.parts, 1.0), 0.0);
    EXPECT_EQ(skipped.given.metric("area").value, p.given.metric("area").value);
    EXPECT_GT(Given({{"machine", "leap-a"}, {"lm_head", "counted"}}).metric("area").value,
              Given({{"machine", "leap-a"}}).metric("area").value);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::request_test
