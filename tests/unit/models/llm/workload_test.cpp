#include "models/llm/workload.hpp"

#include <gtest/gtest.h>

namespace pimdse::models {
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

}  // namespace
}  // namespace pimdse::models
