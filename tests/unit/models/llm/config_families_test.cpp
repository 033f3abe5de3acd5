#include "models/llm/language_models.hpp"
#include "tests/unit/models/llm/config_files.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cstdint>
#include <string>
#include <vector>

/// What single families mean by their keys, beside the totals of published models.
namespace pimdse::models::config_families_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::mistakes_of;
using testing::model_of;

TEST(ConfigFamilies, of_olmo_hybrid_attends_in_its_last_layer_if_it_has_fewer_than_four) {
    for (int layers = 2; layers < 10; ++layers) {
        auto const model = model_of(fmt::format(R"({{"model_type": "olmo_hybrid", "num_hidden_layers": {}}})", layers));
        std::string attending;
        for (auto const kind : model.order) attending += alike_layers(model)[kind].attends ? 'A' : '-';
        std::string expected;
        for (int i = 0; i < layers; ++i) expected += i % 4 == 3 || (layers < 4 && i == layers - 1) ? 'A' : '-';
        EXPECT_EQ(attending, expected);
    }
}

/// Files that are saved again have types of layers under the names of their class.
TEST(ConfigFamilies, of_inkling_names_windows_by_numbers_or_types) {
    auto const inkling = [](std::string const& more) {
        return model_of(R"({"model_type": "inkling_text", "num_hidden_layers": 4)" + more + "}");
    };
    auto const listed = inkling(R"(, "local_layer_ids": [0, 2, 3])");
    auto const typed = inkling(R"(, "layer_types": ["hybrid_sliding", "hybrid", "hybrid_sliding", "hybrid_sliding"])");
    EXPECT_EQ(listed.order, (std::vector<std::uint16_t>{0, 1, 0, 0}));
    EXPECT_EQ(listed.kinds, typed.kinds);
    EXPECT_EQ(listed.order, typed.order);
    EXPECT_EQ(alike_layers(listed)[0].window, 512);
    EXPECT_EQ(alike_layers(listed)[0].kv_heads, 16);
    EXPECT_EQ(alike_layers(listed)[1].kv_heads, 8);
    EXPECT_EQ(alike_layers(inkling(R"(, "local_layer_ids": [])")).front().window, 0);
    EXPECT_THAT(mistakes_of(R"({"model_type": "inkling_text", "num_hidden_layers": 4, "local_layer_ids": [4]})"),
                ElementsAre(HasSubstr("local_layer_ids = 4 is not a whole number in 0..3")));
}

/// Versions of transformers have names of their own for layers that choose positions, and for those with n-grams.
TEST(ConfigFamilies, of_qwen4_chooses_positions_in_layers_of_any_of_its_names) {
    auto const qwen = [](std::string const& attention) {
        return model_of(fmt::format(R"({{"model_type": "qwen4_exp_text", "num_hidden_layers": 2, "indexer_n_heads": 4,
            "indexer_head_dim": 128, "indexer_budget": 2048, "layer_types": ["linear_attention", "{}"]}})",
                                    attention));
    };
    auto const usual = qwen("full_attention");
    EXPECT_EQ(alike_layers(usual).back().indexer.positions, 2048);
    for (auto const* name : {"qwen_sparse_attention", "deepseek_sparse_attention", "hybrid_indexed"}) {
        EXPECT_EQ(qwen(name).kinds, usual.kinds) << name;
        EXPECT_EQ(qwen(name).order, usual.order) << name;
    }
}

/// Whoever lists experts of text and of images means the first by num_experts.
TEST(ConfigFamilies, of_ernie_with_images_counts_experts_of_images_and_reads_none) {
    auto const ernie = [](std::string const& more) {
        return model_of(R"({"model_type": "ernie4_5_vl_moe_text")" + more + "}");
    };
    auto const usual = ernie("");
    auto const listed = ernie(R"(, "moe_num_experts": [64, 64], "moe_intermediate_size": [1536, 512])");
    EXPECT_EQ(total_parameters(usual), total_parameters(listed));
    EXPECT_EQ(total_parameters(usual) - usual.unread_parameters, 21825437888);  // ERNIE-4.5-21B-A3B
    auto const wider = ernie(R"(, "moe_intermediate_size": [1536, 1024])");
    EXPECT_EQ(wider.unread_parameters - usual.unread_parameters, 27LL * 64 * 3 * 2560 * 512);
    EXPECT_EQ(active_parameters(wider), active_parameters(usual));
}

/// Nemotron-H after a search: the experts of each layer in a list, and the number of layers in that of their types.
TEST(ConfigFamilies, has_experts_of_each_layer_in_a_list) {
    auto const of = [](std::string const& last) {
        return R"({"model_type": "nemotron_h_puzzle", "vocab_size": 32, "hidden_size": 8, "num_hidden_layers": null,
  "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4, "mamba_num_heads": 2, "mamba_head_dim": 4,
  "ssm_state_size": 4, "n_groups": 1, "moe_latent_size": 4, "moe_shared_expert_intermediate_size": 6,
  "n_routed_experts": 8, "layers_block_type": ["moe", "attention", "moe"], "block_configs": [
  {"block_type": "moe", "moe_intermediate_size": 16, "num_experts_per_tok": 2}, {"block_type": "attention"})" +
               last + "]}";
    };
    auto const model =
        model_of(of(R"(, {"block_type": "moe", "moe_intermediate_size": 24, "num_experts_per_tok": 3})"));
    auto const alike = alike_layers(model);
    ASSERT_EQ(alike.size(), 3U);
    EXPECT_EQ(alike[0].expert_ffn, 16);
    EXPECT_EQ(alike[0].experts_active, 2);
    EXPECT_TRUE(alike[1].attends);
    EXPECT_EQ(alike[2].expert_ffn, 24);
    EXPECT_EQ(alike[2].experts_active, 3);
    EXPECT_THAT(mistakes_of(of("")), ElementsAre(HasSubstr("block_configs has 2 entries (there are 3 layers)")));
}

}  // namespace
}  // namespace pimdse::models::config_families_test
