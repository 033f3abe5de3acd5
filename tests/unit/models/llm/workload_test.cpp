#include "models/llm/workload.hpp"

#include "models/llm/language_models.hpp"
#include "models/llm/layer_support.hpp"
#include "models/llm/step_passes.hpp"
#include "models/llm/summed_keys.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace pimdse::models::workload_test {
namespace {

LanguageModel small_model() {
    LanguageModel m;
    m.layers = 2;
    m.hidden = 8;
    m.heads = 4;
    m.kv_heads = 2;
    m.head_dimension = 2;
    m.ffn = 16;
    m.gated = true;
    m.vocabulary = 10;
    m.tied_embedding = true;
    return m;
}

TEST(Workload, counts_the_weights_of_a_layer_by_hand) {
    // q 8x8, k and v 8x4, o 8x8, gate and up 8x16, down 16x8
    EXPECT_EQ(layer_weights(small_model()), 64 + 2 * 32 + 64 + 3 * 128);
    EXPECT_EQ(layer_matrices(small_model()).size(), 7U);
    EXPECT_EQ(kv_elements_per_token(small_model()), 8);
}

TEST(Workload, counts_experts_stored_and_experts_used) {
    auto m = small_model();
    m.ffn = 0;
    m.experts = 4;
    m.experts_active = 1;
    m.expert_ffn = 3;
    EXPECT_EQ(layer_weights(m) - layer_weights(m, Experts::active), 3 * (3 * 8 * 3));
}

TEST(Workload, touches_the_experts_that_some_token_chooses) {
    auto m = small_model();
    m.ffn = 0;
    m.experts = 8;
    m.experts_active = 2;
    m.expert_ffn = 3;
    EXPECT_EQ(touched_experts(m, 1.0), 2.0);
    EXPECT_NEAR(touched_experts(m, 2.0), 3.5, 1e-12);
    EXPECT_NEAR(touched_experts(m, 8.0), 7.199, 1e-3);
    EXPECT_NEAR(touched_experts(m, 1e6), 8.0, 1e-9);
    for (auto const& matrix : layer_matrices(m)) {
        bool const expert = matrix.inputs == 3 || matrix.outputs == 3;
        EXPECT_EQ(touched_copies(m, matrix, 8.0), expert ? touched_experts(m, 8.0) : 1.0) << matrix.name;
    }
}

TEST(Workload, of_one_token_touches_just_its_own_experts) {
    auto m = small_model();
    for (m.experts = 1; m.experts < 100; ++m.experts) {
        for (m.experts_active = 1; m.experts_active <= m.experts; ++m.experts_active)
            ASSERT_EQ(touched_experts(m, 1.0), static_cast<double>(m.experts_active)) << m.experts;
    }
}

TEST(Workload, counts_tied_tables_once) {
    auto m = small_model();
    std::int64_t const tied = total_parameters(m);
    m.tied_embedding = false;
    EXPECT_EQ(total_parameters(m) - tied, 80);
}

TEST(Workload, of_a_uniform_model_that_is_split_into_kinds_is_the_same_model) {
    auto m = small_model();
    set_layers(m, {{1, 0, false, 16}, {1, 0, false, 16}});
    finish_layers(m);
    EXPECT_TRUE(m.kinds.empty());
    EXPECT_EQ(m.layers, 2);
    EXPECT_EQ(&alike_layers(m).front(), &m);
    EXPECT_EQ(total_parameters(m), total_parameters(small_model()));
}

TEST(Workload, of_several_kinds_has_the_layers_of_each) {
    auto m = small_model();
    set_layers(m, {{1, 0, false, 16}, {3, 4, false, 16}, {2, 0, false, 16}, {5, 0, false, 0, 4, 1, 3}});
    finish_layers(m);
    ASSERT_EQ(alike_layers(m).size(), 3U);
    EXPECT_EQ(m.layers, 11);
    std::int64_t layers = 0, parameters = 0;
    for (auto const& alike : alike_layers(m)) {
        layers += alike.layers;
        parameters += total_parameters(alike);
    }
    EXPECT_EQ(layers, m.layers);
    auto tables = m;
    tables.kinds.clear();
    tables.alike.clear();
    tables.layers = 0;
    EXPECT_EQ(total_parameters(m), parameters - 2 * total_parameters(tables));
    EXPECT_EQ(alike_layers(m)[1].window, 4);
    EXPECT_EQ(alike_layers(m)[2].experts, 4);
}

TEST(Workload, attends_to_as_many_keys_as_counting_each_position_finds) {
    auto m = small_model();
    for (bool const chunked : {false, true}) {
        for (m.window = 0, m.chunked = chunked; m.window < 9; ++m.window) {
            for (int first = 1; first < 24; ++first) {
                double keys = 0.0;
                for (int last = first; last < 24; ++last) {
                    int const start = m.window == 0 ? 1
                                      : chunked
                                          ? (last - 1) / static_cast<int>(m.window) * static_cast<int>(m.window) + 1
                                          : std::max(1, last - static_cast<int>(m.window) + 1);
                    EXPECT_EQ(keys_of(m, last), last - start + 1) << m.window;
                    keys += last - start + 1;
                    EXPECT_NEAR(mean_keys(m, {static_cast<double>(first), static_cast<double>(last)}),
                                keys / (last - first + 1), 1e-12)
                        << m.window << ' ' << chunked;
                }
            }
        }
    }
}

/// DeepSeek-V3's attention.
LanguageModel latent_model() {
    LanguageModel m;
    m.layers = 61;
    m.hidden = 7168;
    m.heads = m.kv_heads = 128;
    m.head_dimension = 192;
    m.value_dimension = 128;
    m.rope_dimension = 64;
    m.kv_rank = 512;
    m.query_rank = 1536;
    m.ffn = 18432;
    m.gated = true;
    return m;
}

TEST(Workload, of_latent_attention_caches_one_vector_and_one_key) {
    EXPECT_EQ(kv_elements_per_token(latent_model()), 576);
}

TEST(Workload, of_latent_attention_expands_the_cache_for_a_prompt_and_not_for_a_token) {
    auto const m = latent_model();
    double const heads = 128.0, expanded = heads * (192 + 128), absorbed = heads * (2 * 512 + 64);
    EXPECT_EQ(attention_multiplications(m, 256.0, 128.5, 0.0), 256.0 * 128.5 * expanded);
    EXPECT_EQ(attention_multiplications(m, 1.0, 4096.0, 4095.0), 4096.0 * absorbed);
    // A pass that follows a long context expands it once it has enough queries to share it.
    double const cached = 4096.0, expansion = cached * 512.0 * heads * (128 + 128);
    EXPECT_EQ(attention_multiplications(m, 1024.0, cached, cached), 1024.0 * cached * expanded + expansion);
}

TEST(Workload, of_latent_attention_with_the_full_rank_has_the_scores_of_plain_attention) {
    LanguageModel plain = small_model();
    plain.kv_heads = plain.heads;
    auto latent = plain;
    latent.kv_rank = latent.hidden;
    EXPECT_EQ(attention_multiplications(latent, 8.0, 4.5, 0.0), attention_multiplications(plain, 8.0, 4.5, 0.0));
}

/// Every product of a query with a key, and of a weight with a value, element by element.
TEST(Workload, of_values_narrower_than_keys_caches_and_multiplies_both_by_their_widths) {
    auto m = small_model();
    m.head_dimension = 6;
    m.value_dimension = 4;
    // q 8 x 24, k 8 x 12, v 8 x 8, o 16 x 8
    EXPECT_EQ(layer_weights(m), 8 * 24 + 8 * 12 + 8 * 8 + 16 * 8 + 3 * 128);
    EXPECT_EQ(kv_elements_per_token(m), 2 * (6 + 4));
    double products = 0.0;
    for (int position = 1; position <= 5; ++position)
        for (int key = 1; key <= position; ++key)
            for (int head = 0; head < 4; ++head) products += 6 + 4;
    EXPECT_EQ(attention_multiplications(m, 5.0, mean_keys(m, {1.0, 5.0}), 0.0), products);
    auto biased = m;
    biased.qkv_bias = true;
    EXPECT_EQ(total_parameters(biased) - total_parameters(m), 2 * (24 + 12 + 8));
}

TEST(Workload, of_values_as_wide_as_keys_is_as_if_no_width_were_given) {
    auto m = small_model();
    auto const plain = m;
    m.value_dimension = m.head_dimension;
    EXPECT_EQ(layer_matrices(m), layer_matrices(plain));
    EXPECT_EQ(kv_elements_per_token(m), kv_elements_per_token(plain));
    EXPECT_EQ(attention_multiplications(m, 3.0, 2.0, 0.0), attention_multiplications(plain, 3.0, 2.0, 0.0));
}

/// XiaomiMiMo/MiMo-V2-Flash, from its dimensions: 39 layers with windows and 9 that attend to all.
TEST(Workload, of_mimo_v2_flash_by_hand) {
    auto m = small_model();
    m.hidden = 4096;
    m.heads = 64;
    m.kv_heads = 4;
    m.head_dimension = 192;
    m.value_dimension = 128;
    m.vocabulary = 152576;
    m.tied_embedding = false;
    m.router_bias = true;
    LayerKind dense{1, 0, false, 16384}, all{8, 0, false, 0, 256, 8, 2048}, window{39, 128, false, 0, 256, 8, 2048};
    window.kv_heads = 8;
    window.other_parameters = 64;  // sinks
    set_layers(m, {dense, all, window});
    finish_layers(m);
    std::int64_t const queries = 4096 * 64 * 192, sums = 64 * 128 * 4096, of_heads = 4096 * (192 + 128);
    std::int64_t const attention = 48 * (queries + sums + 2 * 4096) + (9 * 4 + 39 * 8) * of_heads + 39 * 64;
    std::int64_t const expert = 3 * 4096 * 2048, router = 256 * 4096 + 256;
    std::int64_t const others = 3 * 4096 * 16384 + 47 * router + 2 * 152576 * 4096 + 4096;
    EXPECT_EQ(total_parameters(m), attention + 47 * 256 * expert + others);
    EXPECT_EQ(total_parameters(m), 308'778'780'864) << "309 G as published";
    EXPECT_EQ(active_parameters(m), attention + 47 * 8 * expert + others);
    EXPECT_EQ(active_parameters(m), 15'445'936'320) << "15 G as published";
    EXPECT_EQ(position_elements(m), (9 * 4 + 39 * 8) * (192 + 128));
    double held = 0.0;
    for (auto const& alike : alike_layers(m))
        held += static_cast<double>(alike.layers * kv_elements_per_token(alike)) * held_positions(alike, 1e5);
    EXPECT_EQ(held, 320.0 * (9 * 4 * 1e5 + 39 * 8 * 128));
}

/// Compressed keys beside those of a window: the mean over positions is that of the positions one by one.
TEST(Workload, of_compressed_keys_adds_a_share_of_one_for_each_position) {
    auto m = small_model();
    m.window = 10;
    m.compression = 4;
    m.one_vector = m.values_from_keys = true;
    EXPECT_EQ(keys_of(m, 8.0), 8.0 + 2.0);
    EXPECT_EQ(keys_of(m, 40.0), 10.0 + 10.0);
    EXPECT_EQ(kv_elements_per_token(m), 4 * (1.0 + 0.25)) << "two heads of 2, values are keys";
    EXPECT_DOUBLE_EQ(held_positions(m, 100.0) * kv_elements_per_token(m), 4 * (10.0 + 25.0));
    m.indexer = {2, 3, 5};  // 5 of them, which stand for 20 positions
    EXPECT_EQ(keys_of(m, 400.0), 10.0 + 5.0);
    EXPECT_EQ(kv_elements_per_token(m), 4 * 1.25 + 3 * 0.25);
    for (double first = 1.0; first < 30.0; ++first)
        for (double last = first; last < 60.0; ++last) {
            double sum = 0.0;
            for (double at = first; at <= last; ++at) sum += keys_of(m, at);
            ASSERT_NEAR(mean_keys(m, {first, last}), sum / (last - first + 1.0), 1e-12) << first << " " << last;
        }
}

/// An indexer may choose fewer positions, behind compressed keys, than the window has.
TEST(Workload, of_chosen_compressed_keys_grows_linearly_up_to_the_last_that_is_chosen) {
    auto m = small_model();
    m.window = 100;
    m.compression = 4;
    m.indexer = {2, 3, 5};
    auto const is_linear = [&](std::int64_t context) {
        auto const at = static_cast<double>(context);
        EXPECT_EQ(exceeded_window(m, context) == 0, keys_of(m, at) == at * keys_per_position(m)) << context;
        return exceeded_window(m, context) == 0;
    };
    EXPECT_TRUE(is_linear(20));
    EXPECT_FALSE(is_linear(21));
    m.indexer = {};
    EXPECT_TRUE(is_linear(100));
    EXPECT_FALSE(is_linear(101));
}

/// One key of an indexer for several positions: a share of the cache and of the comparisons, the same positions.
TEST(Workload, of_pooled_index_keys_has_a_share_of_them_for_each_position) {
    auto single = small_model();
    single.indexer = {2, 3, 20};
    auto pooled = single;
    pooled.indexer.pool = 4;
    EXPECT_EQ(keys_of(pooled, 400.0), keys_of(single, 400.0));
    EXPECT_EQ(kv_elements_per_token(single) - kv_elements_per_token(pooled), 3 * (1 - 0.25));
    PassShape const pass{8.0, {393.0, 400.0}, 400.0, 400.0, false};
    auto const all = summed(single, pass, 1.0, {}), shared = summed(pooled, pass, 1.0, {});
    EXPECT_EQ(shared.indexed, all.indexed / 4);
    EXPECT_EQ(shared.index_read, all.index_read / 4);
    EXPECT_EQ(shared.index_written, all.index_written / 4);
    EXPECT_EQ(shared.products, all.products);
}

TEST(Workload, of_several_streams_and_outputs_in_groups_is_what_a_machine_must_serve) {
    for (auto const member : {&LanguageModel::residual_streams, &LanguageModel::output_groups}) {
        auto m = small_model();
        EXPECT_FALSE(unserved_layers(m, "none", {}));
        m.*member = 4;
        m.output_rank = 2;
        EXPECT_TRUE(unserved_layers(m, "none", {}));
        EXPECT_FALSE(unserved_layers(m, "one", {LayerFeature::streams}));
    }
}

/// Figures that the authors and others state of DeepSeek-V4-Pro: 1.6 T parameters, 49 G used; 9.62 GiB of keys in 16
/// bits for 2^20 positions, a tenth of V3.2's; 27 % of its multiplications for a token there.
TEST(Workload, of_deepseek_v4_pro_is_as_published) {
    auto const pro = load_language_model("deepseek-v4-pro"), before = load_language_model("deepseek-v3.2");
    double const context = 1 << 20, gib = 1 << 30;
    auto const held = [&](LanguageModel const& model) {
        double elements = 0.0;
        for (auto const& alike : alike_layers(model))
            elements +=
                static_cast<double>(alike.layers) * kv_elements_per_token(alike) * held_positions(alike, context);
        return 2.0 * elements;
    };
    auto const multiplications = [&](LanguageModel const& model) {
        double all = 0.0;
        for (auto const& alike : alike_layers(model))
            all += static_cast<double>(alike.layers) *
                   (static_cast<double>(layer_weights(alike, Experts::active)) +
                    attention_multiplications(alike, 1.0, keys_of(alike, context), context) +
                    index_multiplications(alike, 1.0, context * index_keys_per_position(alike)));
        return all;
    };
    EXPECT_NEAR(static_cast<double>(total_parameters(pro)), 1.6e12, 0.03e12);
    EXPECT_NEAR(static_cast<double>(active_parameters(pro)), 49e9, 1e9);
    EXPECT_NEAR(held(pro) / gib, 9.62, 0.02);
    EXPECT_NEAR(held(pro) / held(before), 0.10, 0.02);
    EXPECT_NEAR(multiplications(pro) / multiplications(before), 0.27, 0.02);
}

TEST(Workload, of_experts_in_a_narrower_space_leads_there_and_back_once) {
    auto m = small_model();
    m.experts = 4;
    m.experts_active = 2;
    m.expert_ffn = 3;
    auto const wide = layer_weights(m);
    m.expert_inputs = 5;
    EXPECT_EQ(layer_weights(m) - wide, 2 * 8 * 5 - 4 * 3 * (8 - 5) * 3);
    EXPECT_EQ(layer_weights(m) - layer_weights(m, Experts::active), 2 * (3 * 5 * 3));
    auto other = m;
    other.expert_inputs = 4;
    EXPECT_FALSE(same_network(m, other));
}

}  // namespace
}  // namespace pimdse::models::workload_test
