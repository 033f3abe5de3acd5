#include "models/llm/config_json.hpp"

#include "models/llm/language_models.hpp"
#include "models/llm/weight_format.hpp"
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

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

TEST(ConfigJson, gives_the_model_that_its_file_of_models_has) {
    auto const own = model_of(config_of("llama", {4096, 32, 32, 8, 14336, 128256, 131072}));
    auto const shipped = load_language_model("llama-3-8b");
    EXPECT_EQ(layer_weights(own), layer_weights(shipped));
    EXPECT_EQ(lm_head_weights(own), lm_head_weights(shipped));
    EXPECT_EQ(own.kv_width(), shipped.kv_width());
}

constexpr Dimensions small{8, 2, 4, 2, 16, 10, 64};

TEST(ConfigJson, with_a_field_that_changes_the_shape_and_is_not_modelled_is_refused_by_its_name) {
    EXPECT_THAT(mistakes_of(config_of("llama", small)), IsEmpty());
    EXPECT_THAT(mistakes_of(config_of("llama", small, R"(,
  "vision_layers": 32, "kv_lora_rank": 512, "num_experts": 4, "chunk_size": 0, "mamba_d_state": null)")),
                list("unknown-shapes"));
    for (auto const* switched : {"attention_output_gate", "use_mla", "use_cla", "is_encoder_decoder", "total_ut_steps",
                                 "index_topk", "compress_ratios"}) {
        auto const field = fmt::format(R"(, "{}": )", switched);
        EXPECT_THAT(mistakes_of(config_of("llama", small, field + "true")), ElementsAre(HasSubstr(switched)));
        EXPECT_THAT(mistakes_of(config_of("llama", small, field + "false")), IsEmpty());
    }
    EXPECT_THAT(mistakes_of(config_of("llama", small, R"(, "enable_lm_head_fp32": true)")), IsEmpty()) << "a precision";
    EXPECT_THAT(mistakes_of(config_of("llama", small, R"(, "image_token_index": 5, "fuse_cross_entropy": true,
  "router_logit_softcapping": 30.0, "bias_dropout_fusion": true)")),
                IsEmpty());
    EXPECT_THAT(model_of(config_of("llama", small, R"(, "vision_config": {"depth": 32})")).remarks,
                ElementsAre("vision_config: the vision tower is not counted"));
    EXPECT_THAT(mistakes_of(config_of("qwen3", small, R"(, "layer_types": ["full_attention"])")),
                list("too-few-types"));
    EXPECT_THAT(mistakes_of(config_of("qwen3", small, R"(, "layer_types": ["full_attention", "linear_attention"])")),
                list("unknown-layers"));
}

/// DeepSeek-V4-Flash in the two ways in which files state which keys stand for several positions.
TEST(ConfigJson, of_compressed_keys_is_the_model_of_its_file) {
    auto const config = [](std::string const& more) {
        return fmt::format(R"({{"model_type": "deepseek_v4"{}}})", more);
    };
    std::string ratios = "0, 0", types = R"("sliding_attention", "sliding_attention")";
    for (int layer = 2; layer < 43; ++layer) {
        ratios += layer % 2 == 0 ? ", 4" : ", 128";
        types += layer % 2 == 0 ? R"(, "compressed_sparse_attention")" : R"(, "heavily_compressed_attention")";
    }
    auto const shipped = load_language_model("deepseek-v4-flash");
    for (auto const& layers :
         {fmt::format(R"(, "compress_ratios": [{}, 0])", ratios), fmt::format(R"(, "layer_types": [{}])", types)}) {
        auto const own = model_of(config(layers + R"(, "expert_dtype": "fp4",
            "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]})"));
        EXPECT_EQ(total_parameters(own), total_parameters(shipped));
        EXPECT_EQ(position_elements(own), position_elements(shipped));
        EXPECT_EQ(stored_bytes(own), stored_bytes(shipped));
        EXPECT_NEAR(stored_bytes(own), 155.9e9, 0.1e9);
    }
    EXPECT_THAT(mistakes_of(config(fmt::format(R"(, "compress_ratios": [{}])", "0, 4"))),
                ElementsAre(HasSubstr("'compress_ratios' has 2 entries for 43 layers")));
    EXPECT_THAT(
        mistakes_of(config(R"(, "num_hidden_layers": 1, "compress_ratios": [8])")),
        ElementsAre(HasSubstr("compress_ratios: 8 positions for a key are not modelled (0, 1, 4 and 128 are)")));
    EXPECT_THAT(mistakes_of(config(R"(, "num_hidden_layers": 1, "compress_ratios": [4], "o_groups": 0,
                    "quantization_config": {"quant_method": "fp8"})")),
                ElementsAre(HasSubstr("output_groups = 0 and output_rank = 1024")));
    EXPECT_THAT(mistakes_of(config(R"(, "num_hidden_layers": 1, "layer_types": ["full_attention"])")),
                ElementsAre(HasSubstr("'full_attention' layers are not modelled")));
    auto const both = [&](std::string const& layer) {
        return mistakes_of(config(R"(, "num_hidden_layers": 2, "layer_types": ["sliding_attention",
            "compressed_sparse_attention"], "compress_ratios": )" +
                                  layer));
    };
    EXPECT_THAT(both("[0, 4]"), IsEmpty());
    EXPECT_THAT(both("[1, 4, 0]"), IsEmpty()) << "and those that predict further tokens";
    EXPECT_THAT(both("[0, 128]"),
                ElementsAre(HasSubstr("compress_ratios = 128 in layer 1, but its layer_types say 4")));
    EXPECT_THAT(both("[4, 4]"), ElementsAre(HasSubstr("compress_ratios = 4 in layer 0, but its layer_types say 0")));
    EXPECT_THAT(mistakes_of(config(R"(, "num_hidden_layers": 1, "compress_ratios": [0], "hc_mult": 0)")),
                ElementsAre(HasSubstr("hc_mult = 0 is not a whole number in 1..")));
}

/// Step-3.5-Flash: 196.8 G published, 11 G used without the embedding. Types of layers go on with those that predict
/// further tokens, and the layers with experts stand in one text.
TEST(ConfigJson, of_step_3_5_has_other_heads_in_windows_and_layers_of_experts_in_a_text) {
    auto const config = [](std::string const& enumerated) {
        std::string types = R"("full_attention")";
        for (int layer = 1; layer < 48; ++layer)
            types += layer % 4 == 0 ? R"(, "full_attention")" : R"(, "sliding_attention")";
        return fmt::format(R"({{"model_type": "step3p5", "num_nextn_predict_layers": 3, "layer_types": [{}],
            "attention_other_setting": {{"num_attention_heads": 96, "num_attention_groups": 8}}{}}})",
                           types, enumerated);
    };
    std::string layers = "3";
    for (int layer = 4; layer < 45; ++layer) layers += fmt::format(", {}", layer);
    auto const model = model_of(config(fmt::format(R"(, "moe_layers_enum": "{}")", layers)));
    EXPECT_NEAR(static_cast<double>(total_parameters(model)), 196.8e9, 0.2e9);
    EXPECT_NEAR(static_cast<double>(active_parameters(model)), 11e9 + 1.0e9, 0.1e9);
    EXPECT_EQ(total_parameters(model),
              total_parameters(model_of(config(fmt::format(R"(, "moe_layers_enum": [{}])", layers)))));
    EXPECT_EQ(total_parameters(model), total_parameters(model_of(config("")))) << "as its family has it";
    auto narrow = config("");
    narrow.replace(narrow.find(R"("num_attention_groups")"), 0, R"("head_dim": 64, )");
    std::int64_t const of_heads = 4096 * 64 * (2 * 96 + 2 * 8) + 2 * 64;  // of a layer with a window, less in 64
    EXPECT_EQ(total_parameters(model) - total_parameters(model_of(narrow)), 33 * of_heads);
    EXPECT_THAT(mistakes_of(config(R"(, "moe_layers_enum": "3,four")")),
                ElementsAre(HasSubstr("moe_layers_enum = \"four\" is not a whole number in 0..44")));
    for (auto const* beyond : {"45", "-1"})
        EXPECT_THAT(mistakes_of(config(fmt::format(R"(, "moe_layers_enum": "3,{}")", beyond))),
                    ElementsAre(HasSubstr(fmt::format("moe_layers_enum = {} is not a whole number in 0..44", beyond))));
}

/// Ling-3.0 and Ling-2.5 have one model_type; layers of a group that is not whole attend.
TEST(ConfigJson, of_ling_has_the_state_that_its_class_or_its_keys_tell) {
    auto const kind = [](std::string const& more) {
        return alike_layers(model_of(R"({"model_type": "bailing_hybrid")" + more + "}")).front().state.kind;
    };
    EXPECT_EQ(kind(R"(, "architectures": ["BailingMoeV2_5ForCausalLM"])"), StateKind::linear);
    EXPECT_EQ(kind(R"(, "architectures": ["BailingHybridForCausalLM"])"), StateKind::linear);
    EXPECT_EQ(kind(R"(, "architectures": ["BailingMoeV3ForCausalLM"])"), StateKind::kimi_delta);
    EXPECT_EQ(kind(R"(, "no_kda_lora": true)"), StateKind::kimi_delta);
    EXPECT_EQ(kind(""), StateKind::linear);
    auto const model = model_of(R"({"model_type": "bailing_moe_linear", "num_hidden_layers": 12})");
    ASSERT_EQ(model.order.size(), 12U);
    for (std::size_t i = 0; i < 12; ++i)
        EXPECT_EQ(alike_layers(model)[model.order[i]].attends, i == 4 || i == 9 || i >= 10) << i;
}

/// Llama-Nemotron: layers as a search has found them.
TEST(ConfigJson, of_nemotron_nas_has_the_parts_of_its_blocks) {
    auto const config = [](std::string const& blocks) {
        return fmt::format(R"({{"model_type": "nemotron-nas", "hidden_size": 512, "num_hidden_layers": 3,
            "num_attention_heads": 4, "num_key_value_heads": null, "intermediate_size": null, "vocab_size": 10,
            "block_configs": [{}]}})",
                           blocks);
    };
    std::string const whole = R"({"attention": {"n_heads_in_group": 2, "no_op": false, "window_length": null},
                                  "ffn": {"ffn_mult": 1.5, "no_op": false, "replace_with_linear": false}})",
                      network = R"({"attention": {"no_op": true, "n_heads_in_group": null}, "ffn": {"ffn_mult": 1.6}})",
                      none = R"({"attention": {"no_op": true}, "ffn": {"no_op": true, "ffn_mult": null}})";
    auto const model = model_of(config(whole + "," + network + "," + none));
    ASSERT_EQ(model.layers, 2) << "a layer without any part is left out";
    auto const &first = alike_layers(model)[0], &second = alike_layers(model)[1];
    EXPECT_EQ(first.kv_heads, 2);
    EXPECT_EQ(first.ffn, 512);
    EXPECT_FALSE(second.attends);
    EXPECT_EQ(second.ffn, 768) << "546 rounded up to a multiple of 256";
    EXPECT_THAT(mistakes_of(config(whole)), ElementsAre(HasSubstr("block_configs has 1 entries (there are 3 layers)")));
    EXPECT_THAT(mistakes_of(R"({"model_type": "nemotron-nas"})"),
                ElementsAre(HasSubstr("block_configs is not a list of objects")));
    auto const with = [&](std::string const& attention, std::string const& ffn) {
        return mistakes_of(
            config(fmt::format(R"({{"attention": {{{}}}, "ffn": {{{}}}}}, {}, {})", attention, ffn, whole, whole)));
    };
    EXPECT_THAT(with("", R"("ffn_mult": 0)"), ElementsAre(HasSubstr("ffn_mult must be a number above 0, at most 64")));
    EXPECT_THAT(with(R"("replace_with_linear": true)", R"("ffn_mult": 1)"),
                ElementsAre(HasSubstr("a matrix in place of a part is not modelled")));
    EXPECT_THAT(with(R"("window_length": 8)", R"("ffn_mult": 1)"), ElementsAre(HasSubstr("window_length = 8")));
    EXPECT_THAT(with(R"("n_heads_in_group": 5)", R"("ffn_mult": 1)"), ElementsAre(HasSubstr("n_heads_in_group = 5")));
}

/// A gate is as wide as a layer has heads.
TEST(ConfigJson, of_laguna_has_heads_and_gates_of_each_layer) {
    auto const laguna = [](std::string const& more) {
        return model_of(
            config_of("laguna", {8, 2, 4, 2, 16, 10, 64},
                      R"(, "head_dim": 2, "num_experts": 0, "num_attention_heads_per_layer": [4, 6])" + more));
    };
    auto const model = laguna(R"(, "gating": "per-head")");
    ASSERT_EQ(alike_layers(model).size(), 2U);
    for (auto const& alike : alike_layers(model)) {
        ASSERT_EQ(alike.matrices.size(), 1U);
        EXPECT_EQ(alike.matrices.front().outputs, alike.heads);
    }
    EXPECT_EQ(total_parameters(laguna(R"(, "gating": "per-element")")) - total_parameters(model),
              8 * (4 + 6) * (2 - 1));
    EXPECT_EQ(total_parameters(model) - total_parameters(laguna(R"(, "gating": false)")), 8 * (4 + 6));
    EXPECT_EQ(total_parameters(laguna(R"(, "gating": true)")), total_parameters(model));
}

/// The layers of a model in their order: L with a window, G without.
std::string windows_in(LanguageModel const& model) {
    std::string of_layers;
    for (auto const kind : model.order) of_layers += alike_layers(model)[kind].window > 0 ? 'L' : 'G';
    return of_layers;
}

TEST(ConfigJson, of_cohere2_moe_has_windows_behind_its_dense_layers) {
    auto const windows = [](std::string const& more) {
        return windows_in(model_of(config_of("cohere2_moe", {8, 6, 4, 2, 16, 10, 64}, R"(, "head_dim": 2)" + more)));
    };
    EXPECT_EQ(windows(R"(, "first_k_dense_replace": 1)"), "GLLLGL");
    EXPECT_EQ(windows(""), "LLLGLL");
    EXPECT_EQ(windows(R"(, "first_k_dense_replace": 2, "sliding_window_pattern": 2)"), "GGLGLG");
    std::string const of_prefix = R"(, "first_k_dense_replace": 3, "prefix_dense_sliding_window_pattern": 2)";
    EXPECT_EQ(windows(of_prefix), "LGLLLL");
    EXPECT_EQ(windows(of_prefix + R"(, "layer_types": ["full_attention", "full_attention", "full_attention",
                                     "sliding_attention", "full_attention", "full_attention"])"),
              "GGGLGG");
}

TEST(ConfigJson, of_gpt_neo_has_windows_in_its_local_layers) {
    auto const config = [](std::string const& types) {
        return R"({"model_type": "gpt_neo", "num_layers": 4, "num_heads": 4, "hidden_size": 8, "attention_types": )" +
               types + "}";
    };
    EXPECT_EQ(windows_in(model_of(config("null"))), "GLGL");
    EXPECT_EQ(windows_in(model_of(config(R"([[["global", "local"], 2]])"))), "GLGL");
    EXPECT_EQ(windows_in(model_of(config(R"([[["local", "global"], 1], [["local"], 2]])"))), "LGLL");
    EXPECT_EQ(position_elements(model_of(config(R"([[["global"], 4]])"))), 4 * 2 * 8);
    EXPECT_THAT(mistakes_of(config(R"([[["global"], 3]])")),
                ElementsAre(HasSubstr("attention_types has 3 entries (there are 4 layers)")));
    EXPECT_THAT(mistakes_of(config(R"([[["wide"], 4]])")), ElementsAre(HasSubstr("'wide' layers are not modelled")));
    EXPECT_THAT(mistakes_of(config(R"([[["global"], 0]])")),
                ElementsAre(HasSubstr("attention_types = 0 is not a whole number in 1..")));
    for (auto const* malformed : {"4", R"("global")", R"(["global", 4])", R"([[["global"]]])"})
        EXPECT_THAT(mistakes_of(config(malformed)), ElementsAre(HasSubstr("attention_types is not a list such as")));
}

TEST(ConfigJson, of_solar_open2_has_as_many_heads_of_keys_of_a_state_as_of_queries) {
    auto const heads = [](int of_keys) {
        return fmt::format(
            R"({{"model_type": "solar_open2", "linear_attn_config": {{"num_heads": 64, "num_kv_heads": {}}}}})",
            of_keys);
    };
    EXPECT_THAT(mistakes_of(heads(64)), IsEmpty());
    EXPECT_THAT(mistakes_of(heads(8)),
                ElementsAre(HasSubstr("num_kv_heads = 8, but linear_attn_config.num_heads = 64")));
}

/// Without an indexer of which the family knows, they would be read as layers that attend to everything.
TEST(ConfigJson, has_layers_that_choose_positions_only_in_families_with_an_indexer) {
    for (auto const* type : {"sparse_attention", "indexed_attention", "deepseek_sparse_attention"}) {
        auto const more = fmt::format(R"(, "num_hidden_layers": 1, "layer_types": ["{}"])", type);
        EXPECT_THAT(mistakes_of(config_of("llama", {8, 1, 4, 2, 16, 10, 64}, more)),
                    ElementsAre(HasSubstr(fmt::format("'{}' layers are not modelled", type))));
        EXPECT_THAT(mistakes_of(R"({"model_type": "deepseek_v32")" + more + "}"), IsEmpty());
    }
}

/// GLM-5.2: 21 of 78 layers have an indexer, as files state it in three ways.
TEST(ConfigJson, of_shared_choices_has_indexers_in_some_layers) {
    auto const glm = [](std::string const& more) { return fmt::format(R"({{"model_type": "glm_moe_dsa"{}}})", more); };
    std::string types, letters;
    for (int layer = 0; layer < 78; ++layer) {
        bool const full = layer < 3 || (layer - 2) % 4 == 0;
        types += fmt::format(R"({}"{}")", layer == 0 ? "" : ", ", full ? "full" : "shared");
        letters += full ? 'F' : 'S';
    }
    auto const all = model_of(glm(""));
    double const indexer = 2048 * 32 * 128 + 6144 * 128 + 6144 * 32 + 2 * 128;
    for (auto const& more :
         {fmt::format(R"(, "indexer_types": [{}])", types), fmt::format(R"(, "index_topk_pattern": "{}")", letters),
          std::string(R"(, "index_topk_freq": 4, "index_skip_topk_offset": 3, "index_topk_pattern": null)")}) {
        auto const own = model_of(glm(more));
        EXPECT_EQ(static_cast<double>(total_parameters(all) - total_parameters(own)), 57 * indexer) << more;
        EXPECT_EQ(position_elements(all) - position_elements(own), 57 * 128) << more;
        for (auto const& alike : alike_layers(own)) EXPECT_EQ(keys_of(alike, 1e5), 2048.0);
    }
    EXPECT_NEAR(static_cast<double>(total_parameters(all)), 744e9, 1e9);
    EXPECT_THAT(mistakes_of(glm(R"(, "num_hidden_layers": 2, "index_topk_pattern": "FX")")),
                ElementsAre(HasSubstr("'X' layers are not modelled")));
    EXPECT_THAT(mistakes_of(glm(R"(, "num_hidden_layers": 2, "indexer_types": ["shared", "shared"])")),
                ElementsAre(HasSubstr("no layer before the first one that takes a choice has an indexer with heads")));
    EXPECT_THAT(mistakes_of(glm(R"(, "num_hidden_layers": 2, "index_topk_pattern": "SF")")),
                ElementsAre(HasSubstr("no layer before the first one that takes a choice")));
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

TEST(ConfigJson, counts_a_window_under_its_condition_only) {
    using Kinds = std::vector<Kind>;
    Dimensions const six{8, 6, 4, 2, 16, 10, 64};
    EXPECT_EQ(kinds_of(config_of("mistral", six)), (Kinds{{6, 4096, 0}}));
    EXPECT_EQ(kinds_of(config_of("mistral", six, R"(, "sliding_window": null)")), (Kinds{{6, 0, 0}}));
    EXPECT_EQ(kinds_of(config_of("mixtral", six)), (Kinds{{6, 0, 8}}));
    EXPECT_EQ(kinds_of(config_of("gemma2", six, R"(, "sliding_window": null)")), (Kinds{{6, 0, 0}}));
    EXPECT_EQ(kinds_of(config_of("qwen2", six, R"(, "sliding_window": 32, "max_window_layers": 2)")),
              (Kinds{{6, 0, 0}}));
    EXPECT_EQ(kinds_of(config_of("qwen2", six, R"(, "sliding_window": 32, "use_sliding_window": true)")),
              (Kinds{{6, 0, 0}}));
    std::string const moe = R"(, "num_experts_per_tok": 2, "num_experts": 4, "moe_intermediate_size": 4,
  "use_sliding_window": true, "sliding_window": 32)";
    EXPECT_EQ(kinds_of(config_of("qwen3_moe", six, moe)), (Kinds{{6, 32, 4}}));
    EXPECT_EQ(kinds_of(config_of("qwen2_moe", six, moe + R"(, "max_window_layers": 3)")),
              (Kinds{{2, 32, 4}, {4, 0, 4}}));
    std::string const types = R"(, "layer_types": ["full_attention", "full_attention", "full_attention",
  "full_attention", "full_attention", "full_attention"])";
    EXPECT_EQ(kinds_of(config_of("llama", six, types)), (Kinds{{6, 0, 0}}));
    EXPECT_EQ(kinds_of(config_of("exaone4", six, R"(, "sliding_window": 32, "sliding_window_pattern": "LG")")),
              (Kinds{{3, 32, 0}, {3, 0, 0}}));
    EXPECT_EQ(kinds_of(config_of("smollm3", six, R"(, "sliding_window": 32, "use_sliding_window": true,
  "no_rope_layers": [1, 0, 1, 1, 0, 1])")),
              (Kinds{{4, 32, 0}, {2, 0, 0}}));
    // Windows that are switched off, with what says where they would be.
    EXPECT_EQ(kinds_of(config_of("smollm3", six, R"(, "sliding_window": 32, "use_sliding_window": false,
  "no_rope_layers": [1, 0, 1, 1, 0, 1], "no_rope_layer_interval": 4)")),
              (Kinds{{6, 0, 0}}));
    EXPECT_EQ(kinds_of(config_of("exaone4", six, R"(, "use_sliding_window": false, "sliding_window_pattern": 4)")),
              (Kinds{{6, 0, 0}}));
}

TEST(ConfigJson, has_experts_in_the_layers_that_it_names) {
    using Kinds = std::vector<Kind>;
    Dimensions const six{8, 6, 4, 2, 16, 10, 64};
    std::string const experts = R"(, "num_experts_per_tok": 2, "num_local_experts": 4)";
    EXPECT_EQ(kinds_of(config_of("llama4_text", six, experts + R"(, "attention_chunk_size": null,
  "moe_layers": [1, 5])")),
              (Kinds{{4, 0, 0}, {2, 0, 4}}));
    EXPECT_EQ(kinds_of(config_of("glm4_moe", six, experts + R"(, "head_dim": 2, "mlp_layer_types": ["dense", "dense",
  "sparse", "sparse", "sparse", "sparse"])")),
              (Kinds{{2, 0, 0}, {4, 0, 4}}));
    EXPECT_EQ(kinds_of(config_of("ernie4_5_moe", six, R"(, "moe_k": 2, "moe_num_experts": 4,
  "moe_layer_start_index": 2, "moe_layer_end_index": 4)")),
              (Kinds{{3, 0, 0}, {3, 0, 4}}));
    EXPECT_EQ(kinds_of(config_of("minimax_m3_vl", six, experts + R"(, "moe_layer_freq": [0, 1, 1, 1, 1, 1])")),
              (Kinds{{1, 0, 0}, {5, 0, 4}}));
    EXPECT_THAT(mistakes_of(config_of("qwen3_moe", six, experts + R"(, "num_experts": 8)")), list("two-names"));
}

TEST(ConfigJson, has_numbers_for_each_layer) {
    Dimensions const six{8, 6, 4, 2, 16, 10, 64};
    auto const experts = [&](std::string const& chosen) {
        return config_of("hunyuan_v1_moe", six, R"(, "num_experts": 4, "moe_topk": )" + chosen);
    };
    auto const model = model_of(experts("[1, 2, 1, 1, 1, 1]"));
    ASSERT_EQ(alike_layers(model).size(), 2U);
    EXPECT_EQ(alike_layers(model)[0].experts_active, 1);
    EXPECT_EQ(alike_layers(model)[1].experts_active, 2);
    EXPECT_EQ(alike_layers(model)[1].layers, 1);
    EXPECT_THAT(mistakes_of(experts("[1, 2, 1]")), list("layers-differ"));
}

TEST(ConfigJson, has_layers_that_differ_by_their_numbers) {
    Dimensions const six{8, 6, 4, 2, 16, 10, 64};
    auto const model = model_of(config_of("llama", six, R"(, "per_layer_config": {
  "0": {"num_key_value_heads": 4, "intermediate_size": 32}, "05": {"skip": ["attention"]}, "3": {"skip": ["mlp"]}})"));
    ASSERT_EQ(alike_layers(model).size(), 4U);
    std::int64_t cached = 0, weights = 0;
    for (auto const& alike : alike_layers(model)) {
        cached += alike.layers * kv_elements_per_token(alike);
        weights += alike.layers * layer_weights(alike);
    }
    EXPECT_EQ(cached, 16 + 4 * 8);
    std::int64_t const attention = 2 * 8 * 8 + 2 * 8 * 4, network = 3 * 8 * 16;
    EXPECT_EQ(weights, (4 * 8 * 8 + 2 * network) + 3 * (attention + network) + attention + network);
    EXPECT_THAT(mistakes_of(config_of("llama", six, R"(, "per_layer_config": {"6": {}, "1": {"skip": ["x"],
  "num_experts": 4}})")),
                list("layers-by-number"));
}

TEST(ConfigJson, stretches_the_context_as_its_scaling_of_positions_says) {
    auto const context = [](std::string const& family, std::string const& scaling) {
        return model_of(config_of(family, small, scaling)).maximum_context;
    };
    EXPECT_EQ(context("llama", R"(, "rope_scaling": {"type": "linear", "factor": 4.0})"), 256);
    EXPECT_EQ(context("llama", R"(, "rope_parameters": {"rope_type": "linear", "factor": 4.0})"), 256);
    EXPECT_EQ(context("llama", R"(, "rope_scaling": {"rope_type": "llama3", "factor": 8.0})"), 64);
    EXPECT_EQ(context("llama", R"(, "rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 2.0},
  "sliding_attention": {"rope_type": "default"}})"),
              128);
    EXPECT_EQ(context("qwen2", R"(, "rope_scaling": {"type": "yarn", "factor": 4.0,
  "original_max_position_embeddings": 32})"),
              128);
    EXPECT_EQ(context("telechat3", R"(, "rope_scaling": {"type": "telechat3-yarn", "factor": 4.0,
  "original_max_position_embeddings": 32})"),
              128);
    EXPECT_EQ(context("gemma3_text", R"(, "rope_scaling": {"rope_type": "linear", "factor": 8.0})"), 64);
}

TEST(ConfigJson, of_several_models_is_read_by_its_text_model) {
    auto const text = config_of("qwen3", small);
    auto const wrapped = [&](std::string const& field, std::string const& more) {
        return R"({"model_type": "wrapper", )" + more + R"("vision_config": {"num_hidden_layers": 24}, ")" + field +
               R"(": )" + text + "}";
    };
    auto const own = model_of(text);
    EXPECT_FALSE(own.tied_embedding);
    for (auto const* field : {"text_config", "llm_config", "language_config"}) {
        auto const model = model_of(wrapped(field, R"("tie_word_embeddings": true, )"));
        EXPECT_TRUE(model.tied_embedding);
        EXPECT_EQ(layer_weights(model), layer_weights(own));
        ASSERT_FALSE(model.remarks.empty());
        EXPECT_EQ(model.remarks.front(), fmt::format("read by its {}; not counted: vision_config", field));
        EXPECT_FALSE(model_of(wrapped(field, "")).tied_embedding);
    }
    EXPECT_EQ(model_of(R"({"architectures": ["Qwen3ForCausalLM"], "num_hidden_layers": 3})").layers, 3);
    EXPECT_EQ(model_of(R"({"architectures": ["LongcatCausalLM"], "num_layers": 3})").layers, 6);
}

TEST(ConfigJson, takes_what_it_does_not_say_from_its_family) {
    auto const model = model_of(R"({"model_type": "gemma3_text", "hidden_size": 3840, "intermediate_size": 15360,
  "num_hidden_layers": 48, "num_attention_heads": 16, "num_key_value_heads": 8, "sliding_window": 1024})");
    EXPECT_EQ(total_parameters(model), 11'766'034'176);
    ASSERT_EQ(model.remarks.size(), 1U);
    EXPECT_THAT(model.remarks.front(), ::testing::HasSubstr("head_dim = 256"));
    EXPECT_THAT(model.remarks.front(), ::testing::HasSubstr("Gemma3TextConfig"));
    EXPECT_EQ(model_of(R"({"model_type": "deepseek_v3", "q_lora_rank": null})").query_rank, 0);
    EXPECT_EQ(model_of(R"({"model_type": "deepseek_v3"})").query_rank, 1536);
    EXPECT_THAT(mistakes_of(R"({"model_type": "llama", "vocab_size": null})"), list("null"));
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

TEST(ConfigJson, has_other_heads_and_sinks_in_the_layers_with_windows) {
    auto const mimo = [](std::string const& more) {
        return config_of("mimo_v2_flash", {8, 4, 4, 2, 16, 10, 64}, R"(, "head_dim": 6, "v_head_dim": 4,
  "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 4, "moe_layer_freq": [0, 1, 1, 1],
  "sliding_window": 8, "swa_num_attention_heads": 4)" + more);
    };
    std::string const heads = R"(, "swa_num_key_value_heads": 4, "swa_head_dim": 3, "swa_v_head_dim": 2)";
    std::string const listed = R"(, "hybrid_layer_pattern": [0, 1, 1, 0], "hybrid_block_size": null)";
    auto const model = model_of(mimo(heads + listed));
    ASSERT_EQ(alike_layers(model).size(), 3U);
    auto const &all = alike_layers(model)[0], &window = alike_layers(model)[1];
    EXPECT_EQ(all.kv_width(), 2 * 6);
    EXPECT_EQ(all.kv_value_width(), 2 * 4);
    EXPECT_EQ(all.ffn, 16);
    EXPECT_EQ(window.layers, 2);
    EXPECT_EQ(window.window, 8);
    EXPECT_EQ(window.kv_width(), 4 * 3);
    EXPECT_EQ(window.kv_value_width(), 4 * 2);
    EXPECT_EQ(window.experts, 4);
    EXPECT_EQ(total_parameters(model_of(mimo(heads + listed + R"(, "add_swa_attention_sink_bias": false)"))),
              total_parameters(model) - 2 * 4);
    EXPECT_EQ(total_parameters(model_of(mimo(heads + listed + R"(, "add_full_attention_sink_bias": true)"))),
              total_parameters(model) + 2 * 4);
    // Every second layer attends to all.
    EXPECT_EQ(kinds_of(mimo(heads + R"(, "hybrid_block_size": 2)")),
              (std::vector<Kind>{{1, 8, 0}, {2, 0, 4}, {1, 8, 4}}));
    EXPECT_THAT(mistakes_of(mimo(heads + R"(, "hybrid_layer_pattern": [0, 1, 1])")), list("short-pattern"));
    EXPECT_THAT(mistakes_of(mimo(heads + R"(, "hybrid_layer_pattern": [0, 1, 2, 0])")), list("pattern-of-two"));
    EXPECT_THAT(mistakes_of(mimo(heads)), list("no-pattern"));
    for (auto const* key : {"swa_num_key_value_heads", "swa_head_dim", "swa_v_head_dim"})
        EXPECT_THAT(mistakes_of(mimo(listed + fmt::format(R"(, "{}": 0)", key))), ElementsAre(HasSubstr(key)));
    EXPECT_THAT(mistakes_of(mimo(listed + R"(, "swa_num_key_value_heads": 3)")), list("uneven-heads"));
}

TEST(ConfigJson, has_states_in_the_layers_without_a_flag) {
    auto const minimax = [](std::string const& flags) {
        return config_of("minimax_m1", {8, 4, 4, 2, 16, 10, 64}, R"(, "attn_type_list": )" + flags);
    };
    auto const model = model_of(minimax("[0, 0, 1, 0]"));
    ASSERT_EQ(alike_layers(model).size(), 2U);
    EXPECT_EQ(alike_layers(model)[0].layers, 3);
    EXPECT_EQ(alike_layers(model)[0].state.kind, StateKind::linear);
    EXPECT_FALSE(alike_layers(model)[0].attends);
    EXPECT_TRUE(alike_layers(model)[1].attends);
    EXPECT_THAT(mistakes_of(minimax("[0, 1]")), list("too-few-flags"));
    for (auto const* none : {"null", "[]"})
        EXPECT_THAT(mistakes_of(minimax(none)), ElementsAre(HasSubstr("'attn_type_list' is missing"))) << none;
    EXPECT_THAT(mistakes_of(config_of("minimax_m1", {8, 4, 4, 2, 16, 10, 64})),
                ElementsAre(HasSubstr("'attn_type_list' is missing")));
}

TEST(ConfigJson, has_experts_in_a_narrower_space) {
    auto const nemotron = [](std::string const& more) {
        return config_of("nemotron_h", {8, 2, 4, 2, 16, 10, 64},
                         R"(, "hybrid_override_pattern": "*E", "head_dim": 2,
  "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 4)" +
                             more);
    };
    auto const wide = model_of(nemotron(R"(, "moe_latent_size": null)"));
    auto const narrow = model_of(nemotron(R"(, "moe_latent_size": 6)"));
    EXPECT_EQ(alike_layers(narrow)[1].expert_width(), 6);
    EXPECT_EQ(alike_layers(narrow)[0].expert_inputs, 0) << "a layer without experts";
    EXPECT_EQ(total_parameters(narrow) - total_parameters(wide), 2 * 8 * 6 - 4 * 2 * 4 * (8 - 6));
    EXPECT_THAT(mistakes_of(nemotron(R"(, "moe_latent_size": -1)")), list("negative-latent"));
    EXPECT_THAT(mistakes_of(nemotron(R"(, "moe_latent_size": 8)")), list("wide-latent"));
}

}  // namespace
}  // namespace pimdse::models::config_json_test
