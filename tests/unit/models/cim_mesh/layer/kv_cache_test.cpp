#include "models/cim_mesh/layer/program.hpp"

#include "models/cim_mesh/layer/prompt.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <set>
#include <vector>

namespace pimdse::models::cim_mesh::test::kv_cache_test {
namespace {

/// Slots of a router of the pool that are filled when all requests are at this context.
std::int64_t filled(KvCache const& cache, std::int64_t router, std::int64_t context) {
    std::int64_t const total = cache.needed_by_all(context);
    return total / cache.routers() + (router < total % cache.routers() ? 1 : 0);
}

constexpr double mebibyte = 1048576.0;

double pool_mebibytes(KvCache const& cache) {
    return static_cast<double>(cache.capacity()) * cache.slot_bytes() / mebibyte;
}
double needed_mebibytes(KvCache const& cache) {
    return static_cast<double>(cache.needed(4096)) * cache.slot_bytes() / mebibyte;
}

TEST(KvCache, holds_120_slots_per_router_beside_the_live_vectors) {
    Given const given;
    EXPECT_EQ(KvCache(given.machine, given.design, given.parts).slots_per_router(), 120);
}

TEST(KvCache, of_4096_tokens_fits_the_layer_but_not_the_key_and_value_regions) {
    struct Row {
        char const* model;
        double needed, colocated, layer;
    };
    for (auto const& row : {Row{"llama-3.2-1b", 4.0, 0.94, 27.2}, Row{"llama-2-13b", 40.0, 23.4, 141.8}}) {
        Given const layer({{"llm", row.model}});
        Given const colocated({{"llm", row.model}, {"kv_pool", "colocated"}});
        KvCache const wide(layer.machine, layer.design, layer.parts),
            narrow(colocated.machine, colocated.design, colocated.parts);
        EXPECT_NEAR(needed_mebibytes(wide), row.needed, 0.05);
        EXPECT_NEAR(pool_mebibytes(wide), row.layer, 0.05);
        EXPECT_NEAR(pool_mebibytes(narrow), row.colocated, 0.05);
        EXPECT_TRUE(std::holds_alternative<Metrics>(layer.outcome()));
        EXPECT_EQ(std::get<Infeasible>(colocated.outcome()).rule, "kv_pool");
    }
}

TEST(KvCache, sets_room_aside_for_the_scores_of_the_fullest_router) {
    for (char const* schedule : {"serial", "tree", "searched"}) {
        Given const used({{"llm", "llama-3.2-1b"}, {"schedule", schedule}});
        Given const kept({{"llm", "llama-3.2-1b"}, {"schedule", schedule}, {"scores", "kept"}});
        KvCache const before(used.machine, used.design, used.parts), after(kept.machine, kept.design, kept.parts);
        // A key has a score of every head of its group.
        std::vector<std::int64_t> at_keys(static_cast<std::size_t>(after.routers()));
        auto const kv = kept.parts.kv, longest = kept.design.longest_context();
        for (std::int64_t token = 0; token < longest; ++token) {
            for (std::int64_t slice = 0; slice < kv; ++slice)
                at_keys[static_cast<std::size_t>(after.place(token, slice).router)] += kept.design.model->heads / kv;
        }
        std::int64_t const tree = *std::max_element(at_keys.begin(), at_keys.end());
        std::int64_t const serial = kept.parts.heads_per_slice * longest;
        EXPECT_EQ(before.score_slots(), 0);
        EXPECT_GE(after.score_slots(), (std::max(serial, tree) + 255) / 256) << schedule;
        EXPECT_LE(after.score_slots(), (std::max(serial, 2 * tree) + 255) / 256) << schedule;
        EXPECT_EQ(after.slots_per_router(), before.slots_per_router() - after.score_slots());
        EXPECT_GT(kept.metric("energy").lower, used.metric("energy").lower * (1.0 - 1e-12)) << schedule;
    }
}

TEST(KvCache, is_too_small_where_scores_take_its_room) {
    Settings request{{"llm", "llama-2-13b"}, {"scratchpad", "12288"}};
    EXPECT_TRUE(std::holds_alternative<Metrics>(Given(request).outcome()));
    request = with(request, "scores", "kept");
    EXPECT_EQ(std::get<Infeasible>(Given(request).outcome()).rule, "kv_pool");
}

TEST(HeldQueries, with_scores_are_as_many_as_fit_beside_the_cache) {
    for (char const* scratchpad : {"16384", "24576", "32768"}) {
        Given const given({{"llm", "llama-2-13b"},
                           {"scores", "kept"},
                           {"context_tile", "12"},
                           {"input", "1024"},
                           {"output", "1024"},
                           {"scratchpad", scratchpad}});
        KvCache const cache(given.machine, given.design, given.parts);
        HeldQueries const held(cache, given.design.context_tile);
        for (std::int64_t tokens = 1; tokens <= given.design.longest_context(); tokens += 37) {
            std::int64_t most = 0, fit = 0;
            for (std::int64_t router = 0; router < cache.routers(); ++router)
                most = std::max(most, filled(cache, router, tokens));
            // All scores together, those of the first query as well, beside vectors and keys.
            auto const all = cache.slots_per_router() + cache.score_slots();
            while (fit < given.design.context_tile && most + (fit + 1) * (1 + cache.score_slots()) <= all) ++fit;
            EXPECT_EQ(held.at(tokens), std::max<std::int64_t>(1, fit)) << tokens;
        }
    }
}

TEST(KvCache, fills_all_routers_evenly_and_no_slot_twice) {
    Given const given({{"llm", "llama-3.2-1b"}});
    KvCache const cache(given.machine, given.design, given.parts);
    std::vector<std::int64_t> used(static_cast<std::size_t>(cache.routers()));
    std::set<std::pair<std::int64_t, std::int64_t>> taken;
    for (std::int64_t token = 0; token < 3000; ++token) {
        for (std::int64_t slice = 0; slice < cache.slices(); ++slice) {
            auto const place = cache.place(token, slice);
            EXPECT_TRUE(taken.emplace(place.router, place.slot).second);
            used[static_cast<std::size_t>(place.router)] += 1;
        }
        auto const [min, max] = std::minmax_element(used.begin(), used.end());
        ASSERT_LE(*max - *min, 1);
    }
    for (std::int64_t router = 0; router < cache.routers(); ++router) {
        EXPECT_EQ(filled(cache, router, 3000), used[static_cast<std::size_t>(router)]);
    }
}

TEST(KvCache, is_full_at_exactly_the_tokens_that_fit) {
    Given const given({{"llm", "llama-3.2-1b"}, {"scratchpad", "4096"}});
    KvCache const cache(given.machine, given.design, given.parts);
    auto const fits = cache.capacity() / cache.slices();
    auto const with = [&](std::int64_t context) {
        return Given({{"llm", "llama-3.2-1b"},
                      {"scratchpad", "4096"},
                      {"input", std::to_string(context - 1)},
                      {"output", "1"}})
            .outcome();
    };
    EXPECT_TRUE(std::holds_alternative<Metrics>(with(fits)));
    EXPECT_TRUE(std::holds_alternative<Infeasible>(with(fits + 1)));
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::kv_cache_test
