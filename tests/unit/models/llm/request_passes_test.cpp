#include "models/llm/request_passes.hpp"

#include "models/llm/language_models.hpp"
#include "models/llm/step_passes.hpp"
#include "models/llm/summed_keys.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <string>
#include <vector>

/// The passes of requests and of steps, against counts pass by pass and position by position.
namespace pimdse::models::request_passes_test {
namespace {

// 19 tokens after the first, in passes of three positions that yield 1, 2 or 3 of them (by Speculation::passes).
TEST(Passes, verify_all_proposals_at_once) {
    auto request = ModelRequest{nullptr, 1, 100, 20};
    request.speculation = {2, 0.5, nullptr};
    auto const passes = passes_of(request);
    auto const rest = passes.rest();
    ASSERT_EQ(rest.size(), 1U);
    EXPECT_DOUBLE_EQ(rest[0].times, Speculation({2, 0.5}).passes(19));
    EXPECT_EQ(rest[0].shape.queries, 3.0);
    EXPECT_EQ(passes.first[0].shape.queries, 100.0);
}

TEST(Passes, by_diffusion_compute_what_their_cache_leaves) {
    auto const positions = [](PassCache cache) {
        auto const passes = passes_of({nullptr, 1, 64, 128, Generation::diffusion, 8, 32, cache});
        double sum = 0.0, times = 0.0;
        for (auto const& all : {passes.first, passes.rest()})
            for (auto const& pass : all) {
                sum += pass.times * pass.shape.queries;
                times += pass.times;
            }
        EXPECT_EQ(times, 4.0 * 8.0) << "four blocks of eight steps";
        return sum;
    };
    double none = 0.0, prefix = 0.0, dual = 0.0;
    for (int block = 0; block < 4; ++block) {
        for (int step = 0; step < 8; ++step) {
            none += 192.0;
            prefix += step == 0 ? 192.0 : 32.0 * (4 - block);
            dual += step == 0 ? 192.0 : 32.0;
        }
    }
    EXPECT_EQ(positions(PassCache::none), none);
    EXPECT_EQ(positions(PassCache::prefix), prefix);
    EXPECT_EQ(positions(PassCache::dual), dual);
}

/// A draft model reads the prompt and makes as many passes as tokens are proposed.
TEST(Passes, of_a_draft_model_are_those_of_its_proposals) {
    auto const draft = load_language_model("opt-125m");
    ModelRequest request{&draft, 2, 50, 31};
    request.speculation = {4, 0.6, &draft};
    auto const passes = passes_of(request);
    ASSERT_EQ(passes.first.size(), 2U);
    EXPECT_EQ(passes.first[1].shape.queries, 50.0);
    double proposals = 0.0, verified = 0.0;
    for (auto const& equal : passes.rest()) {
        (equal.of_draft ? proposals : verified) += equal.times;
        EXPECT_EQ(equal.shape.queries, equal.of_draft ? 1.0 : 5.0);
    }
    EXPECT_DOUBLE_EQ(verified, request.later_passes());
    EXPECT_DOUBLE_EQ(proposals, draft_passes(request.speculation, 50, 30).passes);
}

/// Positions that queries at `first` to `last` of a sequence read, from the first one that any of them attends to, and
/// pairs of both, by walking over the queries.
struct Walked {
    double read = 0.0, pairs = 0.0;
};
Walked walk(LanguageModel const& layers, std::int64_t first, std::int64_t last) {
    Walked all;
    for (auto query = first; query <= last; ++query) {
        double const keys = keys_of(layers, static_cast<double>(query));
        all.pairs += keys;
        all.read = std::max(all.read, static_cast<double>(last - query) + keys);
    }
    return all;
}

TEST(SummedKeys, are_those_of_every_query_with_windows_and_chunks_and_without) {
    for (auto const* name : {"llama-3.2-1b", "gemma-2-9b", "llama-4-scout"}) {
        auto const model = load_language_model(name);
        for (auto const& layers : alike_layers(model)) {
            for (std::int64_t const cached : {0, 5, 4000, 4096, 8191, 20000}) {
                for (std::int64_t const tokens : {1, 2, 300, 5000}) {
                    sim::serving::StepWork work;
                    work.chunks.push_back({tokens, cached});
                    auto const sum = summed(layers, prompts_of(work).front(), 1.0);
                    auto const walked = walk(layers, cached + 1, cached + tokens);
                    EXPECT_EQ(sum.read, walked.read) << name << cached << "+" << tokens;
                    EXPECT_NEAR(sum.pairs, walked.pairs, 1e-9 * walked.pairs) << name << cached << "+" << tokens;
                }
            }
        }
    }
}

/// Where heads share keys, their queries are rows of one tile: by hand, a tile after the other. Heads with keys of
/// their own and states fill none.
TEST(SummedKeys, count_the_rows_of_tiles_that_heads_with_shared_keys_fill) {
    for (auto const* name : {"llama-3.1-8b", "gemma-2-9b", "llama-2-7b", "qwen3-next-80b-a3b"}) {
        auto const model = load_language_model(name);
        for (auto const& layers : alike_layers(model)) {
            if (!layers.attends) continue;
            auto const together = layers.heads / layers.kv_heads;
            for (std::int64_t const tile : {1, 16, 24, 64})
                for (std::int64_t const queries : {1, 2, 7, 300}) {
                    sim::serving::StepWork work;
                    work.chunks.push_back({queries, 100});
                    auto const sum = summed(layers, prompts_of(work).front(), 3.0, {static_cast<double>(tile), true});
                    std::int64_t rows = 0;
                    while (rows < queries * together) rows += together > 1 ? tile : 1;
                    EXPECT_NEAR(sum.tiled_products / sum.products,
                                static_cast<double>(rows) / static_cast<double>(queries * together), 1e-12)
                        << name << ", tiles of " << tile << ", " << queries << " queries";
                    EXPECT_EQ(sum.tiled_state_products, sum.state_products);
                    if (queries > 1) continue;
                    std::vector<std::int64_t> const contexts{100, 150, 250};
                    auto const tokens = summed_tokens(layers, contexts, {static_cast<double>(tile), true});
                    EXPECT_NEAR(tokens.tiled_products / tokens.products, static_cast<double>(rows) / together, 1e-12);
                }
        }
    }
}

/// Windows, chunks, compressed keys that an indexer chooses, latent attention; contexts within and beyond all of them.
TEST(SummedKeys, of_contexts_are_the_sum_of_each_in_layers_of_any_kind) {
    std::vector<std::int64_t> const contexts{2, 3, 127, 128, 129, 2047, 2048, 2049, 8192, 8193, 70000};
    for (auto const* name : {"llama-3.2-1b", "qwen3-next-80b-a3b", "gemma-3-27b", "llama-4-scout", "deepseek-v4-flash",
                             "deepseek-v3.2", "deepseek-v3", "gpt-oss-20b", "nemotron-h-8b"}) {
        auto const model = load_language_model(name);
        for (auto const& layers : alike_layers(model))
            for (QueryTile const tile : {QueryTile{}, {1.0, true}, {64.0, true}, {16.0, false}, {256.0, false}}) {
                SummedKeys each;
                for (auto const context : contexts) each += summed(layers, token_at(context), 1.0, tile);
                auto const all = summed_tokens(layers, contexts, tile);
                for (auto const member :
                     {&SummedKeys::products, &SummedKeys::read, &SummedKeys::written, &SummedKeys::pairs,
                      &SummedKeys::square, &SummedKeys::queries, &SummedKeys::sequences, &SummedKeys::indexed,
                      &SummedKeys::index_read, &SummedKeys::index_written, &SummedKeys::state_products,
                      &SummedKeys::states_read, &SummedKeys::states_written, &SummedKeys::tiled_products,
                      &SummedKeys::tiled_indexed, &SummedKeys::tiled_state_products})
                    EXPECT_EQ(all.*member, each.*member)
                        << name << ", window of " << layers.window << ", tiles of " << tile.rows;
            }
        EXPECT_EQ(summed_tokens(model, std::span<std::int64_t const>{}).queries, 0.0);
    }
    auto const first = load_language_model("deepseek-v3");  // a token alone expands its own keys, which is cheaper
    std::vector<std::int64_t> const alone{1, 50};
    EXPECT_DOUBLE_EQ(summed_tokens(first, alone).products,
                     summed(first, token_at(1), 1.0).products + summed(first, token_at(50), 1.0).products);
}

TEST(Steps, of_proposals_and_of_single_denoised_tokens_are_refused) {
    ModelRequest request;
    EXPECT_FALSE(broken_step_rule(request));
    request.speculation.draft = 1;
    EXPECT_EQ(broken_step_rule(request)->rule, "traffic");
    request.speculation.draft = 0;
    request.generation = Generation::diffusion;
    EXPECT_EQ(broken_step_rule(request)->rule, "traffic");
    request.block_length = 2;
    EXPECT_FALSE(broken_step_rule(request));
}

}  // namespace
}  // namespace pimdse::models::request_passes_test
