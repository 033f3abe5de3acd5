#include "models/llm/config_json.hpp"

#include "models/llm/language_models.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/models/llm/config_files.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <string>
#include <vector>

namespace pimdse::models::config_json_test {
namespace {

using testing::mistakes_of;
using testing::model_of;

using ::testing::IsEmpty;

/// A configuration with these dimensions under the names that most families use.
struct Dimensions {
    int hidden, layers, heads, kv_heads, ffn, vocabulary, context;
};
std::string config_of(std::string const& family, Dimensions const& d, std::string const& more = "") {
    return fmt::format(
        R"({{
  "model_type": "{}",
  "hidden_size": {},
  "num_hidden_layers": {},
  "num_attention_heads": {},
  "num_key_value_heads": {},
  "intermediate_size": {},
  "vocab_size": {},
  "max_position_embeddings": {},
  "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "use_cache": true, "bos_token_id": 1{}
}})",
        family, d.hidden, d.layers, d.heads, d.kv_heads, d.ffn, d.vocabulary, d.context, more);
}

struct Published {
    std::string config;
    std::int64_t parameters;
};

/// Sums of the sizes of all published tensors.
std::vector<Published> published() {
    std::string const opt = R"({"model_type": "opt", "hidden_size": 1024, "num_hidden_layers": 24,
        "num_attention_heads": 16, "ffn_dim": 4096, "word_embed_proj_dim": 512, "vocab_size": 50272,
        "max_position_embeddings": 2048, "do_layer_norm_before": false})";
    std::string const llada = R"({"model_type": "llada", "d_model": 4096, "n_layers": 32, "n_heads": 32,
        "n_kv_heads": 32, "mlp_hidden_size": 12288, "mlp_ratio": 4, "vocab_size": 126464, "embedding_size": 126464,
        "max_sequence_length": 4096, "weight_tying": false, "include_bias": false, "include_qkv_bias": false})";
    std::string const moe = R"(, "num_experts_per_tok": 8, "num_experts": 128, "moe_intermediate_size": 768,
        "decoder_sparse_step": 1, "mlp_only_layers": [], "head_dim": 128)";
    std::string const shared = R"(, "num_experts_per_tok": 4, "num_experts": 60, "moe_intermediate_size": 1408,
        "shared_expert_intermediate_size": 5632, "decoder_sparse_step": 1, "use_sliding_window": false)";
    std::string const oss = R"(, "head_dim": 64, "attention_bias": true, "num_local_experts": 32,
        "experts_per_token": 4, "num_experts_per_tok": 4, "sliding_window": 128)";
    std::string const latent = R"({"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61,
        "num_attention_heads": 128, "num_key_value_heads": 128, "kv_lora_rank": 512, "q_lora_rank": 1536,
        "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "intermediate_size": 18432,
        "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
        "first_k_dense_replace": 3, "moe_layer_freq": 1, "n_group": 8, "topk_group": 4, "num_nextn_predict_layers": 1,
        "vocab_size": 129280, "max_position_embeddings": 163840})";
    std::string const window = R"(, "sliding_window": 131072, "use_sliding_window": false, "max_window_layers": 28)";
    return {
        {config_of("llama", {4096, 32, 32, 8, 14336, 128256, 131072}), 8'030'261'248},
        {config_of("mistral", {4096, 32, 32, 8, 14336, 32768, 32768}, R"(, "sliding_window": null)"), 7'248'023'552},
        {config_of("mixtral", {4096, 32, 32, 8, 14336, 32000, 32768},
                   R"(, "num_local_experts": 8, "num_experts_per_tok": 2)"),
         46'702'792'704},
        {config_of("qwen2", {3584, 28, 28, 4, 18944, 152064, 131072}, window), 7'615'616'512},
        {config_of("Dream", {3584, 28, 28, 4, 18944, 152064, 131072}, window), 7'615'616'512},
        {config_of("qwen2_moe", {2048, 24, 16, 16, 5632, 151936, 8192}, shared), 14'315'784'192},
        {config_of("qwen3", {4096, 36, 32, 8, 12288, 151936, 40960}, R"(, "head_dim": 128)"), 8'190'735'360},
        {config_of("qwen3_moe", {2048, 48, 32, 4, 6144, 151936, 40960}, moe), 30'532'122'624},
        {config_of("phi3", {5120, 40, 40, 10, 17920, 100352, 16384}), 14'659'507'200},
        {config_of("olmo2", {4096, 32, 32, 32, 11008, 100352, 4096}), 7'298'617'344},
        {config_of("granite", {4096, 40, 32, 8, 12800, 49155, 131072}, R"(, "tie_word_embeddings": true)"),
         8'170'848'256},
        {config_of("gpt_neox", {4096, 32, 32, 32, 16384, 50432, 2048}), 6'857'302'016},
        {config_of("gemma2", {3584, 42, 16, 8, 14336, 256000, 8192}, R"(, "head_dim": 256, "sliding_window": 4096)"),
         9'241'705'984},
        {config_of("gemma3_text", {5376, 62, 32, 16, 21504, 262208, 131072},
                   R"(, "head_dim": 128, "sliding_window": 1024, "sliding_window_pattern": 6)"),
         27'009'346'304},
        {config_of("gpt_oss", {2880, 24, 64, 8, 2880, 201088, 131072}, oss), 20'914'757'184},
        {latent, 671'026'419'200},
        {opt, 331'196'416},
        {llada, 8'015'581'184},
    };
}

TEST(ConfigJson, of_every_family_has_as_many_parameters_as_its_authors_published) {
    for (auto const& [config, parameters] : published())
        EXPECT_EQ(total_parameters(model_of(config)), parameters) << config;
}

TEST(ConfigJson, gives_the_model_that_its_file_of_models_has) {
    auto const own = model_of(published().front().config), shipped = load_language_model("llama-3-8b");
    EXPECT_EQ(layer_weights(own), layer_weights(shipped));
    EXPECT_EQ(lm_head_weights(own), lm_head_weights(shipped));
    EXPECT_EQ(own.kv_width(), shipped.kv_width());
}

constexpr Dimensions small{8, 2, 4, 2, 16, 10, 64};

TEST(ConfigJson, with_a_field_that_changes_the_shape_and_is_not_modelled_is_refused_by_its_name) {
    EXPECT_THAT(mistakes_of(config_of("llama", small)), IsEmpty());
    EXPECT_THAT(mistakes_of(config_of("llama", small, R"(,
  "vision_config": {"depth": 32}, "kv_lora_rank": 512, "num_experts": 4, "chunk_size": 0, "mamba_d_state": null)")),
                list("unknown-shapes"));
    EXPECT_THAT(mistakes_of(config_of("qwen3_moe", small, R"(, "num_experts_per_tok": 2, "num_experts": 4,
  "moe_intermediate_size": 4, "use_sliding_window": true, "sliding_window": 32)")),
                list("windows-beside-experts"));
    EXPECT_THAT(mistakes_of(config_of("qwen3", small, R"(, "layer_types": ["full_attention"])")),
                list("too-few-types"));
    EXPECT_THAT(mistakes_of(config_of("qwen3", small, R"(, "layer_types": ["full_attention", "linear_attention"])")),
                list("unknown-layers"));
}

/// Window and number of the layers of each kind, and whether they have experts.
struct Kind {
    std::int64_t layers, window, experts;
    bool operator==(Kind const&) const = default;
};
std::vector<Kind> kinds_of(std::string const& config) {
    auto const model = model_of(config);
    std::vector<Kind> kinds;
    for (auto const& alike : alike_layers(model)) kinds.push_back({alike.layers, alike.window, alike.experts});
    return kinds;
}

TEST(ConfigJson, has_the_kinds_of_layers_that_its_family_has) {
    using Kinds = std::vector<Kind>;
    Dimensions const six{8, 6, 4, 2, 16, 10, 64};
    EXPECT_EQ(kinds_of(config_of("mistral", six, R"(, "sliding_window": 32)")), (Kinds{{6, 32, 0}}));
    EXPECT_EQ(kinds_of(config_of("gemma2", six, R"(, "sliding_window": 32)")), (Kinds{{3, 32, 0}, {3, 0, 0}}));
    EXPECT_EQ(kinds_of(config_of("gemma3_text", six, R"(, "sliding_window": 32)")), (Kinds{{5, 32, 0}, {1, 0, 0}}));
    EXPECT_EQ(kinds_of(config_of("gemma3_text", six, R"(, "sliding_window": 32, "sliding_window_pattern": 3)")),
              (Kinds{{4, 32, 0}, {2, 0, 0}}));
    EXPECT_EQ(kinds_of(config_of("qwen2", six, R"(, "sliding_window": 32, "use_sliding_window": true,
  "max_window_layers": 4)")),
              (Kinds{{4, 0, 0}, {2, 32, 0}}));
    EXPECT_EQ(kinds_of(config_of("qwen3", small, R"(, "sliding_window": 32,
  "layer_types": ["full_attention", "sliding_attention"])")),
              (Kinds{{1, 0, 0}, {1, 32, 0}}));
    EXPECT_EQ(kinds_of(config_of("qwen3_moe", six, R"(, "num_experts_per_tok": 2, "num_experts": 4,
  "moe_intermediate_size": 4, "decoder_sparse_step": 2, "mlp_only_layers": [5])")),
              (Kinds{{4, 0, 0}, {2, 0, 4}}));
    EXPECT_EQ(kinds_of(config_of("llama4_text", six, R"(, "num_experts_per_tok": 1, "num_local_experts": 4,
  "intermediate_size_mlp": 32, "interleave_moe_layer_step": 2, "attention_chunk_size": 16)")),
              (Kinds{{3, 16, 0}, {2, 16, 4}, {1, 0, 4}}));
}

TEST(ConfigJson, of_an_unknown_family_is_refused) {
    EXPECT_THAT(mistakes_of(config_of("lama", small)), list("unknown-family"));
    EXPECT_THAT(mistakes_of(R"({"hidden_size": 8})"), list("no-family"));
}

TEST(ConfigJson, with_numbers_that_are_none_is_refused_at_once) {
    EXPECT_THAT(mistakes_of(R"({
  "model_type": "llama", "hidden_size": "wide", "num_hidden_layers": -1, "num_attention_heads": 2.5,
  "num_key_value_heads": true, "intermediate_size": 1e18, "vocab_size": [1], "tie_word_embeddings": 1
})"),
                list("no-numbers"));
    EXPECT_THAT(mistakes_of(config_of("llama", {8, 2, 3, 2, 16, 10, 64})), list("heads-do-not-divide"));
    EXPECT_THAT(mistakes_of(config_of("mixtral", small, R"(, "num_local_experts": 1e18, "num_experts_per_tok": 2)")),
                list("too-many-experts"));
    EXPECT_THAT(mistakes_of(config_of("mixtral", small, R"(, "num_local_experts": 2, "num_experts_per_tok": 3)")),
                list("more-active-experts"));
}

TEST(ConfigJson, that_is_no_json_object_is_refused) {
    EXPECT_THAT(mistakes_of(""), list("empty"));
    EXPECT_THAT(mistakes_of("{\n\"a\": 1,\n}"), list("no-json"));
    EXPECT_THAT(mistakes_of("[1]"), list("no-object"));
    EXPECT_THAT(mistakes_of("{\"model_type\": \"\xff\"}"), list("no-utf8"));
    EXPECT_THAT(mistakes_of(std::string((16U << 20U) + 1, ' ')), list("too-large"));
    EXPECT_THAT(mistakes_of(std::string(1U << 20U, '[')), list("deeply-nested"));
}

/// Multiply-accumulates of one layer of a model for a prompt of 256 positions, each of which attends to all of them, as
/// an independent tool counts them (AccelForge; six digits). It also counts an operation per score, for the softmax,
/// and one per element of a gated network, for the product of gate and up.
TEST(ConfigJson, multiplies_as_often_as_another_tool_counts) {
    constexpr double prompt = 256.0;
    auto const counted = [&](std::string const& config) {
        auto const model = model_of(config);
        auto const& m = alike_layers(model).back();
        double const products = prompt * static_cast<double>(layer_weights(m, Experts::active)) +
                                attention_multiplications(m, prompt, prompt, 0.0);
        double const gated = static_cast<double>(m.ffn + m.experts_active * m.expert_ffn);
        return products + prompt * prompt * static_cast<double>(m.heads) + (m.gated ? prompt * gated : 0.0);
    };
    std::string const moe = R"(, "head_dim": 128, "num_experts_per_tok": 8, "num_experts": 128,
        "moe_intermediate_size": 768)";
    std::string const mixtral = R"(, "num_local_experts": 8, "num_experts_per_tok": 2)";
    std::string const scout = R"(, "num_experts_per_tok": 1, "num_local_experts": 16, "intermediate_size_mlp": 16384,
        "attention_chunk_size": 8192)";
    auto const expect = [&](std::string const& config, double macs) {
        EXPECT_NEAR(counted(config), macs, 2e-5 * macs) << config;
    };
    expect(config_of("llama", {4096, 32, 32, 8, 14336, 128256, 8192}), 5.63772e10);
    expect(config_of("qwen3", {4096, 36, 32, 8, 12288, 151936, 40960}, R"(, "head_dim": 128)"), 4.99342e10);
    expect(config_of("qwen3_moe", {2048, 48, 32, 4, 6144, 151936, 40960}, moe), 1.50361e10);
    expect(config_of("mixtral", {6144, 56, 48, 8, 16384, 32768, 65536}, mixtral), 1.77984e11);
    expect(config_of("llama4_text", {5120, 48, 40, 8, 8192, 202048, 131072}, scout), 8.12099e10);
    expect(config_of("gpt_neox", {4096, 32, 32, 32, 16384, 50257, 2048}), 5.20786e10);
    expect(config_of("gpt_neox", {12288, 96, 96, 96, 49152, 50257, 2048}), 4.65473e11);
}

}  // namespace
}  // namespace pimdse::models::config_json_test
