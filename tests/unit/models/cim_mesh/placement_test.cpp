#include "models/cim_mesh/placement.hpp"

#include "models/cim_mesh/search.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace pimdse::models::cim_mesh::test {
namespace {

TEST(Placement, packed_uses_no_router_twice_and_keeps_columns_together_for_every_model) {
    for (char const* model : {"opt-125m", "llama-3.2-1b", "llama-2-13b", "llama-2-70b", "qwen2.5-0.5b", "llada-moe-7b-a1b", "opt-2.7b"}) {
        Given const given({{"llm", model}, {"input", "64"}, {"output", "64"}});
        auto const placement = place(given.design, given.parts, packed_genes(given.parts));
        ASSERT_FALSE(placement.matrices.empty()) << model;
        EXPECT_TRUE(is_legal(placement)) << model;
        EXPECT_EQ(static_cast<std::int64_t>(placement.pool.size()), given.parts.tiles) << model;
    }
}

TEST(Placement, is_legal_or_empty_for_any_genes) {
    Given const given({{"llm", "llama-3.2-1b"}});
    int placed = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        auto genes = packed_genes(given.parts);
        genes.band_height = 1 + static_cast<std::int64_t>(seed % 32);
        for (std::size_t i = 0; i < genes.order.size(); ++i) {
            std::swap(genes.order[i], genes.order[(seed * 31 + i * 7) % genes.order.size()]);
            genes.directions[i] = static_cast<TileOrder>((seed + i) % 3);
        }
        auto const placement = place(given.design, given.parts, genes);
        if (placement.matrices.empty()) continue;
        ++placed;
        ASSERT_TRUE(is_legal(placement)) << seed;
    }
    EXPECT_GT(placed, 50);
}

TEST(Placement, sees_a_router_taken_twice_and_a_torn_column) {
    Given const given({{"llm", "opt-125m"}, {"input", "64"}, {"output", "64"}});
    auto placement = place(given.design, given.parts, packed_genes(given.parts));
    auto twice = placement;
    twice.matrices[1].tiles[0] = twice.matrices[0].tiles[0];
    EXPECT_FALSE(is_legal(twice));
    auto torn = placement;
    std::swap(torn.matrices[0].tiles[0], torn.matrices[0].tiles[1]);
    EXPECT_FALSE(is_legal(torn));
}

TEST(Placement, that_bands_do_not_hold_is_infeasible) {
    auto const outcome = Given({{"placement", "genes"}, {"band_height", "20"}}).outcome();
    ASSERT_TRUE(std::holds_alternative<Infeasible>(outcome));  // 20 of 32 rows are too few for 4840 crossbars on 5 tiles
    EXPECT_EQ(std::get<Infeasible>(outcome).rule, "placement");
    EXPECT_TRUE(std::holds_alternative<Metrics>(Given({{"placement", "genes"}, {"band_height", "0"}}).outcome()));
}

TEST(Placement, genes_in_the_order_of_execution_are_the_packed_ones) {
    Given const given({{"placement", "genes"}});
    EXPECT_EQ(chosen_genes(given.design, given.parts), packed_genes(given.parts));
    EXPECT_EQ(given.metric("placement_gain").value, 0.0);
    Given const other({{"placement", "genes"}, {"attention_order", "o-v-k-q"}, {"ffn_order", "down-up-gate"}, {"tile_order", "snake"}});
    auto const genes = chosen_genes(other.design, other.parts);
    EXPECT_EQ(genes.order, (std::vector<std::size_t>{3, 2, 1, 0, 6, 5, 4}));
    EXPECT_NE(other.metric("placement_gain").value, 0.0);
}

TEST(Placement, orders_are_read_and_refused) {
    Given given;
    auto& order = given.table.at(static_cast<std::size_t>(find_parameter(given.table, "attention_order")));
    EXPECT_NO_THROW((void)read_value(order, "v-q-k-o"));
    for (char const* wrong : {"q-k-v", "q-q-v-o", "q-k-v-x", "qkvo", "q-k-v-o-q", ""})
        EXPECT_THROW((void)read_value(order, wrong), sim::InputError) << wrong;
}

TEST(Placement, rank_of_a_permutation_is_the_order_it_names) {
    Given given({{"placement", "genes"}, {"attention_order", "k-q-v-o"}});
    auto const named = given.design.attention_order;
    given.point[static_cast<std::size_t>(find_parameter(given.table, "attention_order"))] =
        Value::permutation(6);  // k first, the rest sorted
    EXPECT_EQ(read_design(given.bindings, given.point).attention_order, named);
}

TEST(PlacementSearch, finds_nothing_worse_than_packing_and_something_better) {
    int better = 0;
    for (char const* model : {"llama-3.2-1b", "opt-1.3b", "qwen2.5-0.5b"}) {
        Given const given({{"llm", model}, {"input", "64"}, {"output", "64"}});
        auto const found = search_placement(given.machine, given.design, given.parts);
        auto const placement = place(given.design, given.parts, found.genes);
        EXPECT_TRUE(is_legal(placement));
        EXPECT_GE(found.gain, 0.0) << model;
        better += found.gain > 0.05 ? 1 : 0;
        EXPECT_NEAR(found.gain, placement_gain(given.machine, given.design, given.parts, placement), 1e-12);
    }
    EXPECT_GE(better, 2);
}

TEST(PlacementSearch, gives_the_same_placement_every_time) {
    Given const given({{"llm", "llama-3.2-1b"}});
    EXPECT_EQ(search_placement(given.machine, given.design, given.parts).genes,
              search_placement(given.machine, given.design, given.parts).genes);
}

TEST(PlacementSearch, beats_every_attention_order_of_the_gene_parameters) {
    Given const given({{"llm", "llama-3.2-1b"}, {"input", "64"}, {"output", "64"}});
    auto const found = search_placement(given.machine, given.design, given.parts);
    double best = 0.0;
    auto genes = packed_genes(given.parts);
    do {
        best = std::max(best, placement_gain(given.machine, given.design, given.parts, place(given.design, given.parts, genes)));
    } while (std::next_permutation(genes.order.begin(), genes.order.begin() + 4));
    EXPECT_GE(found.gain, 0.8 * best);  // the shortlist is by distance alone
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test
