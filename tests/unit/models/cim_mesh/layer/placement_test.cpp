#include "models/cim_mesh/layer/placement.hpp"

#include "models/cim_mesh/layer/search.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/noc/open_loop.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <numeric>

namespace pimdse::models::cim_mesh::test::placement_test {
namespace {

TEST(Placement, packed_uses_no_router_twice_and_keeps_columns_together_for_every_model) {
    for (char const* model :
         {"opt-125m", "llama-3.2-1b", "llama-2-13b", "llama-2-70b", "qwen2.5-0.5b", "llada-moe-7b-a1b", "opt-2.7b"}) {
        Given const given({{"llm", model}, {"input", "64"}, {"output", "64"}});
        auto const placement = place(given.ground(), packed_genes(given.parts));
        ASSERT_FALSE(placement.matrices.empty()) << model;
        EXPECT_TRUE(is_legal(placement)) << model;
        EXPECT_EQ(placement.area.routers(), given.parts.tiles) << model;
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
            genes.directions[i] = static_cast<CrossbarOrder>((seed + i) % 3);
        }
        auto const placement = place(given.ground(), genes);
        if (placement.matrices.empty()) continue;
        ++placed;
        ASSERT_TRUE(is_legal(placement)) << seed;
    }
    EXPECT_GT(placed, 50);
}

TEST(Placement, sees_a_router_taken_twice_and_a_column_outside_of_the_mesh) {
    Given const given({{"llm", "opt-125m"}, {"input", "64"}, {"output", "64"}});
    auto placement = place(given.ground(), packed_genes(given.parts));
    auto twice = placement;
    ++twice.columns[1].path.length;
    EXPECT_FALSE(is_legal(twice));
    auto outside = placement;
    outside.columns.back().path.left = placement.mesh.cols;
    EXPECT_FALSE(is_legal(outside));
}

TEST(Placement, that_bands_do_not_hold_is_infeasible) {
    auto const outcome = Given({{"placement", "genes"}, {"band_height", "20"}}).outcome();
    ASSERT_TRUE(
        std::holds_alternative<Infeasible>(outcome));  // 20 of 32 rows are too few for 4840 crossbars on 5 tiles
    EXPECT_EQ(std::get<Infeasible>(outcome).rule, "placement");
    EXPECT_TRUE(std::holds_alternative<Metrics>(Given({{"placement", "genes"}, {"band_height", "0"}}).outcome()));
}

TEST(Placement, genes_in_the_order_of_execution_are_the_packed_ones) {
    Given const given({{"placement", "genes"}});
    EXPECT_EQ(chosen_genes(given.design, given.parts), packed_genes(given.parts));
    EXPECT_EQ(given.metric("placement_gain").value, 0.0);
    Given const other({{"placement", "genes"},
                       {"attention_order", "o-v-k-q"},
                       {"ffn_order", "down-up-gate"},
                       {"tile_order", "snake"}});
    auto const genes = chosen_genes(other.design, other.parts);
    EXPECT_EQ(genes.order, (std::vector<std::size_t>{3, 2, 1, 0, 6, 5, 4}));
    EXPECT_NE(other.metric("placement_gain").value, 0.0);
}

/// Heights drawn from those that each matrix may have.
Genes random_rectangles(Given const& given, std::uint64_t seed) {
    auto genes = packed_genes(given.parts);
    for (std::size_t i = 0; i < genes.order.size(); ++i) {
        auto const heights = rectangle_heights(given.ground(), given.parts.matrices[i]);
        genes.heights.push_back(heights[sim::noc::hashed(seed, i) % heights.size()]);
        std::swap(genes.order[i], genes.order[sim::noc::hashed(seed, i + 100) % genes.order.size()]);
        genes.directions[i] = static_cast<CrossbarOrder>(sim::noc::hashed(seed, i + 200) % 3);
    }
    if (seed % 2 == 1) genes.interleave = Interleave::gate_up;
    return genes;
}

TEST(Rectangles, are_legal_or_do_not_fit_and_stay_inside_a_compute_tile) {
    int placed = 0;
    for (char const* model : {"llama-3.2-1b", "llama-2-13b", "opt-125m", "llada-moe-7b-a1b"}) {
        Given const given({{"llm", model}, {"input", "64"}, {"output", "64"}});
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            auto const genes = random_rectangles(given, seed);
            auto const placement = place(given.ground(), genes);
            ASSERT_EQ(placement.matrices.empty(), !PlacedLayer(given.machine, given.key(genes)).fits());
            if (placement.matrices.empty()) continue;
            ++placed;
            ASSERT_TRUE(is_legal(placement)) << model << " " << seed;
            ASSERT_EQ(placement.area.routers(), given.parts.tiles);
            for (auto const& matrix : placement.matrices) {
                auto const height = genes.heights[matrix.tiling];
                for (std::int64_t col = 0; col < matrix.cols; ++col) {
                    auto const column = routers_of(placement.mesh, placement.column(matrix, col));
                    auto const [lower, upper] = std::minmax_element(column.begin(), column.end());
                    auto const tile = [&](sim::noc::Node node) {
                        return placement.mesh.col(node) / given.design.mesh_cols;
                    };
                    ASSERT_LT(placement.mesh.row(*upper) - placement.mesh.row(*lower), height);
                    for (auto const node : column) ASSERT_EQ(tile(node), tile(column.front()));
                }
            }
        }
    }
    EXPECT_GT(placed, 100);
}

TEST(Rectangles, have_a_divisor_or_a_multiple_of_the_matrix_rows) {
    Given const given({{"llm", "llama-2-13b"}});
    EXPECT_EQ(rectangle_heights(given.ground(), given.parts.matrices[0]),
              (std::vector<std::int64_t>{1, 2, 4, 5, 10, 20}));
    Given const small({{"llm", "llama-3.2-1b"}});
    EXPECT_EQ(rectangle_heights(small.ground(), small.parts.matrices[0]),
              (std::vector<std::int64_t>{1, 2, 4, 8, 16, 24, 32}));
    auto const outcome = Given({{"placement", "genes"}, {"shape", "rectangles"}, {"attention_rows", "7"}}).outcome();
    ASSERT_TRUE(std::holds_alternative<Infeasible>(outcome));
    EXPECT_EQ(std::get<Infeasible>(outcome).rule, "placement");
    EXPECT_THAT(std::get<Infeasible>(outcome).reason, says("crossbars-matrix"));
}

TEST(Rectangles, stand_side_by_side_and_fold_their_columns) {
    Given const given({{"llm", "llama-3.2-1b"},
                       {"placement", "genes"},
                       {"shape", "rectangles"},
                       {"attention_rows", "4"},
                       {"down_rows", "8"}});
    auto const placement = place(given.ground(), chosen_genes(given.design, given.parts));
    ASSERT_FALSE(placement.matrices.empty());
    auto const& q = placement.matrices[0];  // 8 rows in two mesh columns of 4: down the first, up the second
    auto const column = routers_of(placement.mesh, placement.column(q, 0));
    for (int i = 0; i < 8; ++i)
        EXPECT_EQ(column[static_cast<std::size_t>(i)], placement.mesh.at(i < 4 ? i : 7 - i, i / 4)) << i;
    EXPECT_EQ(hops_between(placement.column(q, 1).start(), {0, 2}), 0);
    EXPECT_GT(given.metric("itl").value, 0.0);
}

TEST(Rectangles, of_gate_and_up_in_turn_lie_beside_each_other) {
    Given const given({{"llm", "llama-3.2-1b"},
                       {"placement", "genes"},
                       {"shape", "rectangles"},
                       {"ffn_order", "interleaved"},
                       {"down_rows", "8"}});
    auto const placement = place(given.ground(), chosen_genes(given.design, given.parts));
    ASSERT_FALSE(placement.matrices.empty());
    auto const &gate = placement.matrices[4], &up = placement.matrices[5];
    int beside = 0;
    for (std::int64_t col = 0; col < gate.cols; ++col)
        beside += hops_between(placement.column(gate, col).start(), placement.column(up, col).start()) == 1;
    EXPECT_GE(beside, 24);
}

Judge judge(Given const& given) { return judge_of(given.design); }

double gain(Given const& given, Genes const& genes) {
    return placement_gain(given.machine, PlacedLayer(given.machine, given.key(genes)),
                          PlacedLayer(given.machine, given.packed()), judge(given));
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
    EXPECT_EQ(design_at(given.inputs, given.point).attention_order, named);
}

TEST(PlacementSearch, finds_nothing_worse_than_packing_and_something_better) {
    int better = 0;
    for (char const* model : {"llama-3.2-1b", "opt-1.3b", "qwen2.5-0.5b"}) {
        Given const given({{"llm", model}, {"input", "64"}, {"output", "64"}});
        auto const found = search_placement({given.packed(), judge(given)}, given.machine);
        auto const placement = place(given.ground(), found.genes);
        EXPECT_TRUE(is_legal(placement));
        EXPECT_GE(found.gain, 0.0) << model;
        better += found.gain > 0.05 ? 1 : 0;
        EXPECT_NEAR(found.gain, gain(given, found.genes), 1e-12);
    }
    EXPECT_GE(better, 2);
}

TEST(PlacementSearch, costs_no_more_bytes_and_hops_than_any_attention_block_it_has_to_try) {
    Given const given({{"llm", "llama-3.2-1b"}, {"input", "64"}, {"output", "64"}});
    auto const cost = [&](Genes const& genes) {
        auto const placement = place(given.ground(), genes);
        return placement.matrices.empty()
                   ? 1e300
                   : placement_cost(PlacedLayer(given.machine, given.key(genes)), judge(given)).byte_hops;
    };
    auto const found = search_placement({given.packed(), judge(given)}, given.machine);
    auto const packed = cost(packed_genes(given.parts));
    double min = packed;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        auto genes = random_rectangles(given, seed);
        genes.interleave = Interleave::no;
        std::iota(genes.order.begin(), genes.order.end(), std::size_t{0});
        std::swap(genes.order[seed % 4], genes.order[seed / 4 % 4]);
        genes.heights[1] = genes.heights[2] = genes.heights[0];
        genes.heights[4] = genes.heights[5] = 8;
        genes.heights[6] = 8;
        std::fill(genes.directions.begin() + 4, genes.directions.end(), CrossbarOrder::normal);
        min = std::min(min, cost(genes));
    }
    EXPECT_LT(min, packed);
    // What is found weighs the busiest link, too.
    EXPECT_LE(cost(found.genes) / packed, min / packed + 0.1);
}

TEST(PlacementSearch, gives_the_same_placement_every_time) {
    Given const given({{"llm", "llama-3.2-1b"}});
    EXPECT_EQ(search_placement({given.packed(), judge(given)}, given.machine).genes,
              search_placement({given.packed(), judge(given)}, given.machine).genes);
}

TEST(PlacementSearch, beats_every_attention_order_of_the_gene_parameters) {
    Given const given({{"llm", "llama-3.2-1b"}, {"input", "64"}, {"output", "64"}});
    auto const found = search_placement({given.packed(), judge(given)}, given.machine);
    double best = 0.0;
    auto genes = packed_genes(given.parts);
    do {
        best = std::max(best, gain(given, genes));
    } while (std::next_permutation(genes.order.begin(), genes.order.begin() + 4));
    EXPECT_GE(found.gain, 0.8 * best);  // the shortlist is by distance alone
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::placement_test
