#include "models/umdam/latent.hpp"
#include "models/llm/weight_format.hpp"
#include "tests/unit/models/umdam/random_setting.hpp"
#include "tests/unit/models/umdam/requested.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <string>

/// Latent attention, against counts of every layer, position and head.
namespace pimdse::models::umdam::latent_test {
namespace {

using testing::own_model;
using testing::Requested;
using Choices = std::vector<std::pair<std::string, std::string>>;

Choices latent(std::string const& model, Choices const& more = {}) {
    Choices all{{"llm", model}, {"ignore_capacity", "true"}, {"input", "200"}, {"output", "9"}, {"channels", "8"}};
    for (auto const& each : more) all.push_back(each);
    return all;
}

TEST(Latent, caches_one_vector_for_all_heads) {
    Requested const r(latent("deepseek-v3"));
    EXPECT_EQ(r.system.kv_cache, 209.0 * 61 * (512 + 64) * 2);
}

TEST(Latent, stores_the_weights_of_its_matrices_once) {
    for (auto const& model : {std::string("deepseek-v3"), own_model("tiny_latent.toml")}) {
        Requested const r(latent(model));
        double stored = 0.0, active = 0.0, all = 0.0, used = 0.0;
        for (auto const& m : r.system.matrices) {
            if (m.head) continue;
            stored += m.stored * m.weights();
            active += m.active * m.weights();
        }
        for (auto const& alike : alike_layers(*r.system.model)) {
            all += static_cast<double>(alike.layers * layer_weights(alike));
            used += static_cast<double>(alike.layers * layer_weights(alike, Experts::active));
        }
        EXPECT_EQ(stored, all) << model;
        EXPECT_EQ(active, used) << model;
        double const bytes = whole_bits(*r.system.model) / 8.0;
        EXPECT_GE(r.system.footprint, bytes * static_cast<double>(total_parameters(*r.system.model)));
    }
}

TEST(Latent, multiplies_queries_and_sums_by_the_matrices_of_each_head) {
    Requested const r(latent("deepseek-v3"));
    auto const copies = [&](std::int64_t inputs, std::int64_t outputs) {
        auto const m = std::ranges::find_if(
            r.system.matrices, [&](Matrix const& each) { return each.inputs == inputs && each.outputs == outputs; });
        return m == r.system.matrices.end() || m->experts != nullptr ? 0.0 : m->active;
    };
    EXPECT_EQ(copies(7168, 1536), 61.0);
    EXPECT_EQ(copies(1536, 128 * 192), 61.0);
    EXPECT_EQ(copies(7168, 512 + 64), 61.0);
    EXPECT_EQ(copies(128, 512), 61.0 * 128);
    EXPECT_EQ(copies(512, 128), 61.0 * 128);
}

TEST(Latent, attends_to_cached_vectors_with_all_heads) {
    Requested const r(latent("deepseek-v3"));
    auto const burst = r.system.standard.organisation.burst_bytes;
    double vectors = 0.0;
    for (int step = 1; step <= 8; ++step) vectors += 61.0 * (200 + step);
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        auto const commands = r.cost(fidelity).rest[Part::attention].commands;
        EXPECT_NEAR(commands.reads.value * burst, vectors * 576 * 2, 1e-9 * vectors * 576 * 2);
        EXPECT_EQ(commands.cube_operations, vectors * 2 * 128 * (576 + 512));
        EXPECT_EQ(commands.macs, 0.0);
    }
}

TEST(Latent, expands_the_keys_and_values_of_a_prompt) {
    Requested const r(latent("deepseek-v3", {{"prefill_unit", "npu"}}));
    double const pairs = 200.0 * 201 / 2 * 61;
    EXPECT_EQ(r.cost().first[Part::attention].commands.cube_operations, pairs * 2 * 128 * (192 + 128));
}

/// Queries share the cached vectors, which fills a tile of rows with fewer positions.
TEST(Latent, takes_the_faster_form_of_a_prompt) {
    for (auto const* input : {"1", "2", "8", "16", "100"}) {
        Requested const r(latent("deepseek-v3", {{"prefill_unit", "npu"}, {"input", input}}));
        OperationCosts const costs(prepared_of(r.inputs), r.system, Fidelity::analytic);
        Span const all(61.0, 0, false);
        auto const& model = *r.system.model;
        auto const of = [&](AttentionForm const& form) {
            return 61.0 * costs.causal_attention(0, r.system.design.input, all, form).seconds.value;
        };
        EXPECT_EQ(r.cost().first[Part::attention].seconds.value,
                  std::min(of(expanded_form(model)), of(absorbed_form(model))))
            << input;
    }
}

TEST(Latent, of_full_rank_has_the_scores_of_attention_that_is_not_latent) {
    Requested const plain(latent(own_model("tiny.toml"), {{"prefill_unit", "npu"}}));
    auto const& model = *plain.system.model;
    auto full = model;
    full.kv_rank = 2 * model.kv_width();
    full.kv_heads = full.heads;
    full.value_dimension = full.head_dimension;
    auto const plainly = model.kv_heads == model.heads ? expanded_form(model) : expanded_form(full);
    EXPECT_EQ(expanded_form(full).key_width, plainly.key_width);
    EXPECT_EQ(expanded_form(full).multiplications(), plainly.multiplications());
    EXPECT_EQ(expanded_form(full).group, 1);
    OperationCosts const costs(prepared_of(plain.inputs), plain.system, Fidelity::analytic);
    Span const all(1.0, 0, false);
    for (std::int64_t const prompt : {1, 15, 16, 100})
        EXPECT_EQ(costs.causal_attention(0, prompt, all, expanded_form(full)).seconds.value,
                  costs.causal_attention(0, prompt, all, plainly).seconds.value);
}

TEST(Latent, needs_the_matrix_units_for_attention) {
    auto const refused = [](Choices const& more) { return asked(latent(own_model("tiny_latent.toml"), more)).rule(); };
    EXPECT_EQ(refused({{"attention", "pim"}}), "latent_attention");
    EXPECT_EQ(refused({{"attention", "pim"}, {"baseline", "npu_only"}}), "");
    EXPECT_EQ(refused({{"attention", "auto"}}), "");
    EXPECT_EQ(refused({{"attention", "npu"}, {"decode_unit", "pim"}, {"prefill_unit", "pim"}}), "");
    EXPECT_EQ(refused({{"generation", "diffusion"}, {"output", "8"}, {"block_length", "8"}, {"input", "8"}}),
              "latent_attention");
}

TEST(Latent, leaves_nothing_to_hide_behind_the_values) {
    Choices const banks{{"attention", "npu"}, {"decode_unit", "pim"}};
    auto scheduled = banks;
    scheduled.emplace_back("concurrency", "scheduled");
    EXPECT_EQ(Requested(latent(own_model("tiny_latent.toml"), banks)).cost().decode().value,
              Requested(latent(own_model("tiny_latent.toml"), scheduled)).cost().decode().value);
}

}  // namespace
}  // namespace pimdse::models::umdam::latent_test
