#include "models/llm/language_models.hpp"
#include "tests/unit/models/text/given.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <utility>
#include <vector>

/// Models with several kinds of layers, windows and latent attention, against counts of every layer, token and key.
namespace pimdse::models::text::test::layer_kinds_test {
namespace {

Settings on_a_board(std::string const& model, std::string const& input = "200") {
    return {{"llm", model}, {"device", "h100"}, {"weights", "fp8"}, {"input", input}, {"output", "9"}};
}

OperatorWork attention_of(PassShape const& shape, Given const& g) { return work_of(shape, g.design(), "attention."); }

TEST(LayerKinds, of_a_token_attend_to_the_keys_of_their_windows) {
    for (std::string const name : {"gemma-2-9b", "gemma-3-27b", "gpt-oss-20b", "llama-4-scout"}) {
        for (std::string const input : {"100", "1500"}) {
            Given const g(on_a_board(name, input));
            auto const d = g.design().request;
            double operations = 0.0, bytes = 0.0;
            for (auto const& alike : alike_layers(*d.model)) {
                for (std::int64_t token = 1; token <= 8; ++token) {
                    std::int64_t const context = d.input + token;
                    std::int64_t const keys = alike.window == 0 ? context : std::min(context, alike.window);
                    auto const layers = static_cast<double>(alike.layers);
                    operations += layers * 2.0 * 2.0 * static_cast<double>(keys * d.model->query_width());
                    bytes += layers * static_cast<double>((keys + 1) * 2 * d.model->head_dimension) * 2.0 *
                             static_cast<double>(d.model->kv_heads);
                }
            }
            auto const work = attention_of(token_pass(verification_passes({}, d.input, 8)), g);
            EXPECT_NEAR(work.operations * 8.0, operations, 1e-9 * operations) << name;
            EXPECT_NEAR((work.cache_read + work.cache_written) * 8.0, bytes, 1e-9 * bytes) << name;
        }
    }
}

TEST(LayerKinds, of_a_prompt_attend_to_the_keys_of_their_windows) {
    for (std::string const name : {"gemma-3-27b", "gpt-oss-20b"}) {
        Given const g(on_a_board(name, "1500"));
        auto const d = g.design().request;
        double operations = 0.0;
        for (auto const& alike : alike_layers(*d.model))
            for (std::int64_t position = 1; position <= 1500; ++position)
                operations += static_cast<double>(alike.layers) * 4.0 * static_cast<double>(d.model->query_width()) *
                              static_cast<double>(alike.window == 0 ? position : std::min(position, alike.window));
        EXPECT_NEAR(attention_of(prompt_pass(d), g).operations, operations, 1e-9 * operations) << name;
    }
}

TEST(LayerKinds, with_windows_that_the_request_does_not_fill_cost_as_without) {
    Given const g(on_a_board("gemma-2-9b"));
    auto const d = g.design().request;
    auto whole = *d.model;
    for (auto& kind : whole.kinds) kind.window = 0;
    auto const kinds = whole.kinds;
    set_layers(whole, kinds);
    finish_layers(whole);
    ASSERT_TRUE(whole.kinds.empty());
    auto const design = g.design();
    auto without = design;
    without.request.model = &whole;
    EXPECT_EQ(analytic(design).latency().value, analytic(without).latency().value);
    EXPECT_EQ(bytes_held(design), bytes_held(without));
}

TEST(LayerKinds, keep_no_more_positions_than_their_windows) {
    auto const cached = [](std::string const& input) {
        Given const g(on_a_board("gpt-oss-20b", input));
        return bytes_held(g.design());
    };
    // 12 layers keep 128 positions, 12 all of them; eight heads of 64 elements of keys and of values.
    EXPECT_EQ(cached("4000") - cached("2000"), 2000.0 * 12 * 2 * 8 * 64 * 2);
    EXPECT_EQ(cached("60") - cached("50"), 10.0 * 24 * 2 * 8 * 64 * 2);
}

TEST(LayerKinds, of_latent_attention_read_one_vector_per_position) {
    Given const g(on_a_board("deepseek-v3"));
    auto const d = g.design().request;
    double bytes = 0.0, operations = 0.0;
    for (int token = 1; token <= 8; ++token) {
        bytes += 61.0 * (200 + token + 1) * 576.0 * 2.0;
        operations += 61.0 * 2.0 * (200 + token) * 128.0 * (2 * 512 + 64);
    }
    auto const work = attention_of(token_pass(verification_passes({}, d.input, 8)), g);
    EXPECT_NEAR((work.cache_read + work.cache_written) * 8.0, bytes, 1e-9 * bytes);
    EXPECT_NEAR(work.operations * 8.0, operations, 1e-9 * operations);
}

/// One expert that every token chooses is a dense network, but for its router.
TEST(LayerKinds, of_one_expert_of_one_are_dense) {
    Given const g({{"llm", "llama-3-8b"}});
    auto const d = g.design().request;
    auto expert = *d.model;
    expert.experts = expert.experts_active = 1;
    expert.expert_ffn = std::exchange(expert.ffn, 0);
    auto const design = g.design();
    auto sparse = design;
    sparse.request.model = &expert;
    EXPECT_EQ(analytic(sparse).latency().value, analytic(design).latency().value);
    EXPECT_EQ(total_parameters(expert) - total_parameters(*d.model), d.model->layers * d.model->hidden);
}

/// Qwen3-30B-A3B, 128 tokens, the experts of a layer on a board of 1,597 GB/s: measured times grow with the experts
/// that are touched (microseconds).
TEST(LayerKinds, take_the_time_of_the_experts_that_are_touched) {
    auto const model = load_language_model("qwen3-30b-a3b");
    double expert = 0.0;
    for (auto const& matrix : layer_matrices(model))
        if (matrix.count > 1) expert += static_cast<double>(matrix.inputs * matrix.outputs) * 2.0 / 1597e9 * 1e6;
    double launch = 0.0;
    for (auto const& [touched, measured] :
         std::vector<std::pair<double, double>>{{8, 79}, {16, 139}, {32, 250}, {64, 457}, {128, 849}}) {
        if (launch == 0.0) launch = measured - touched * expert;
        EXPECT_NEAR(launch + touched * expert, measured, 0.15 * measured) << touched;
    }
    EXPECT_NEAR(touched_experts(model, 128.0), 128.0, 0.1);
}

/// Keys of 64 and values of 32 elements in one layer, of 32 and 16 behind a window of 40 in two.
TEST(LayerKinds, with_values_narrower_than_keys_read_and_multiply_each_by_its_width) {
    Given const g(on_a_board(PIMDSE_TEST_DATA "/keys/tiny_narrow_values.toml", "100"));
    auto const d = g.design().request;
    double scores = 0.0, values = 0.0, bytes = 0.0;
    for (int token = 1; token <= 8; ++token) {
        int const all = 100 + token, near = 40;
        scores += 2.0 * 4 * (2 * near * 32 + all * 64);
        values += 2.0 * 4 * (2 * near * 16 + all * 32);
        bytes += 2.0 * (2.0 * (near + 1) * 4 * (32 + 16) + (all + 1) * 2.0 * (64 + 32));
    }
    auto const pass = token_pass(verification_passes({}, d.input, 8));
    auto const work = attention_of(pass, g);
    EXPECT_NEAR(work.operations * 8.0, scores + values, 1e-9 * scores);
    EXPECT_NEAR((work.cache_read + work.cache_written) * 8.0, bytes, 1e-9 * bytes);
    EXPECT_NEAR(work_of(pass, g.design(), "attention.scores").operations * 8.0, scores, 1e-9 * scores);
    EXPECT_NEAR(work_of(pass, g.design(), "attention.values").operations * 8.0, values, 1e-9 * values);
}

/// Matrices of 256 x 64 and 64 x 256 around two of eight experts of 64 x 192, three matrices each.
TEST(LayerKinds, of_experts_in_a_narrower_space_multiply_two_matrices_more) {
    Given const g(on_a_board(PIMDSE_TEST_DATA "/keys/tiny_narrow_experts.toml"));
    auto const d = g.design().request;
    auto const work = work_of(token_pass(verification_passes({}, d.input, 8)), g.design(), "weights.");
    double const attention = 256.0 * (2 * 256 + 2 * 128), shared = 3.0 * 256 * 512;
    double const experts = 2.0 * 3 * 64 * 192, around = 2.0 * 256 * 64;
    EXPECT_NEAR(work.operations, 2.0 * 2 * (attention + shared + experts + around), 1.0);
}

}  // namespace
}  // namespace pimdse::models::text::test::layer_kinds_test
