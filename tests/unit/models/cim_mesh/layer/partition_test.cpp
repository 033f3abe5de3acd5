#include "models/llm/language_models.hpp"
#include "models/llm/request_passes.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace pimdse::models::cim_mesh::test::partition_test {
namespace {

/// Crossbars, additions and compute tiles of one layer at 256 x 256 and 1024 pairs, counted by hand from the published
/// shapes.
struct Row {
    char const* model;
    int tiles, adds;
    double compute_tiles;
};

Row const rows[] = {
    {"opt-125m", 108, 81, 0.105},
    {"opt-350m", 192, 156, 0.188},
    {"opt-1.3b", 768, 696, 0.75},
    {"opt-2.7b", 1200, 1110, 1.172},
    {"opt-6.7b", 3072, 2928, 3.0},
    {"opt-13b", 4800, 4620, 4.688},
    {"opt-30b", 9408, 9156, 9.188},
    {"opt-66b", 15552, 15228, 15.188},
    {"llama-3.2-1b", 928, 836, 0.906},
    {"llama-3.2-3b", 1536, 1428, 1.5},
    {"llama-3-8b", 3328, 3160, 3.25},
    {"llama-3-70b", 13056, 12728, 12.75},
    {"llama-2-7b", 3088, 2922, 3.016},
    {"llama-2-13b", 4840, 4632, 4.727},
    {"llama-2-70b", 13056, 12728, 12.75},
    {"mistral-7b-v0.1", 3328, 3160, 3.25},
    {"qwen2.5-0.5b", 268, 216, 0.262},
    {"qwen2.5-1.5b", 714, 624, 0.697},
    {"qwen2.5-3b", 1176, 1064, 1.148},
    {"qwen2.5-7b", 3556, 3362, 3.473},
    {"qwen2.5-14b", 4200, 4024, 4.102},
    {"qwen2.5-32b", 7440, 7156, 7.266},
    {"llada-8b", 3328, 3152, 3.25},
    {"dream-7b", 3556, 3362, 3.473},
    {"llada-moe-7b-a1b", 6400, 5344, 6.25},
    {"mixtral-8x7b", 22144, 21080, 21.625},
    {"mixtral-8x22b", 38208, 36936, 37.312},
    {"qwen3-8b", 2944, 2792, 2.875},
    {"qwen3-32b", 7440, 7160, 7.266},
    {"qwen3-30b-a3b", 9504, 7684, 9.281},
    {"llama-3.1-8b", 3328, 3160, 3.250},
    {"llama-3.1-70b", 13056, 12728, 12.750},
    {"llama-3.1-405b", 48640, 48024, 47.500},
    {"llama-4-scout", 33600, 32124, 32.812},
    {"gpt-oss-20b", 14256, 13072, 13.922},
    {"gpt-oss-120b", 55728, 51088, 54.422},
    {"gemma-2-9b", 3024, 2852, 2.953},
    {"gemma-3-27b", 6300, 6058, 6.152},
    {"phi-4", 5200, 4990, 5.078},
};

TEST(Partition, counts_crossbars_additions_and_compute_tiles_of_every_model) {
    for (auto const& row : rows) {
        Given const given({{"llm", row.model}, {"input", "64"}, {"output", "64"}});
        EXPECT_EQ(given.parts.tiles, row.tiles) << row.model;
        EXPECT_EQ(given.parts.adds, row.adds) << row.model;
        EXPECT_NEAR(given.parts.compute_tiles, row.compute_tiles, 0.00051) << row.model;
    }
}

/// Whether all layers have the same crossbars.
bool has_one_partition(LanguageModel const& model) {
    auto const layers = alike_layers(model);
    return model.kv_rank == 0 && std::all_of(layers.begin(), layers.end(), [&](LanguageModel const& m) {
               return kv_elements_per_token(m) > 0 && layer_weights(m) == layer_weights(layers.front()) &&
                      m.experts == layers.front().experts;
           });
}

TEST(Partition, knows_every_model_of_the_catalogue_whose_layers_have_the_same_crossbars) {
    std::size_t known = 0;
    for (auto const& name : language_model_names())
        if (has_one_partition(load_language_model(name))) ++known;
    EXPECT_EQ(std::size(rows), known);
}

TEST(Partition, takes_the_additions_of_active_experts_only) {
    Given const given({{"llm", "llada-moe-7b-a1b"}, {"input", "64"}, {"output", "64"}});
    EXPECT_EQ(given.parts.token_adds, 4 * 7 * 8 + 8 * (2 * 7 * 4 + 3 * 8));
    EXPECT_EQ(given.parts.f, 8 * 4);
}

TEST(Partition, reduces_columns_in_parallel_down_to_one_column_per_matrix) {
    EXPECT_EQ(Given({{"parallel_columns", "100"}}).parts.token_adds, 4 * 19 + 2 * 19 + 53);
    EXPECT_EQ(Given({{"parallel_columns", "2"}}).parts.token_adds, 4 * 19 * 10 + 2 * 19 * 27 + 53 * 10);
}

TEST(Partition, sums_no_columns_without_weights) {
    Given const primal({{"llm", "llama-3-8b"}}), leap({{"llm", "llama-3-8b"}, {"mode", "leap"}});
    EXPECT_EQ(leap.parts.adds, primal.parts.adds);
}

TEST(Partition, lays_keys_and_values_as_multi_head_in_mode_leap) {
    Given const primal({{"llm", "llama-3-8b"}, {"mode", "primal"}});
    Given const leap({{"llm", "llama-3-8b"}, {"mode", "leap"}});
    EXPECT_EQ(leap.parts.tiles - primal.parts.tiles, 2 * 16 * (16 - 4));
}

TEST(Partition, adds_the_adapters_of_the_chosen_matrices) {
    EXPECT_DOUBLE_EQ(Given({{"lora_targets", "q+v"}}).parts.lora_bytes, 2 * 8 * (5120.0 + 5120.0));
    EXPECT_DOUBLE_EQ(Given({{"lora_targets", "q+v"}}).metric("adapter_weights").value, 40 * 2 * 8 * (5120.0 + 5120.0));
    EXPECT_EQ(Given({{"lora_targets", "all"}}).parts.adapted, 7);
    EXPECT_EQ(Given({{"lora_targets", "all"}, {"llm", "opt-6.7b"}, {"input", "64"}, {"output", "64"}}).parts.adapted,
              6);
    EXPECT_EQ(Given({{"lora_rank", "0"}}).parts.adapted, 0);
    EXPECT_EQ(Given({{"mode", "leap"}}).parts.adapted, 0);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::partition_test
