#include "models/cim_mesh/layer/flow.hpp"

#include "models/cim_mesh/layer/search.hpp"
#include "sim/noc/open_loop.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"
#include "tests/unit/models/cim_mesh/layer/random_genes.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace pimdse::models::cim_mesh::test::flow_test {
namespace {

using sim::noc::hashed;
using sim::noc::Node;

struct Spot {
    double row = 0.0, col = 0.0;
    [[nodiscard]] double to(Spot const& o) const { return std::abs(row - o.row) + std::abs(col - o.col); }
};
Spot middle(sim::noc::Mesh mesh, std::vector<Node> const& nodes) {
    std::int64_t rows = 0, cols = 0;
    for (Node const node : nodes) {
        rows += mesh.row(node);
        cols += mesh.col(node);
    }
    auto const count = static_cast<double>(std::max<std::size_t>(1, nodes.size()));
    return {static_cast<double>(rows) / count, static_cast<double>(cols) / count};
}

/// The edges of the data flow over the routers of a placement, one by one.
double slow_byte_hops(Given const& given, Placement const& placement) {
    auto const ground = given.ground();
    std::map<std::string, std::vector<Node>> tiles, sums;
    std::map<std::string, double> columns;
    std::vector<Node> pool;
    bool const serial = given.design.schedule == Schedule::serial;
    for (auto const& matrix : placement.matrices) {
        auto const& tiling = ground.matrices[matrix.tiling];
        auto& all = tiles[tiling.name];
        auto const own = routers_of(placement, matrix);
        all.insert(all.end(), own.begin(), own.end());
        if (holds_cache(given.design.kv_pool, tiling.name)) pool.insert(pool.end(), own.begin(), own.end());
        for (std::int64_t col = 0; col < matrix.cols; ++col) {
            auto const column = routers_of(placement.mesh, placement.column(matrix, col));
            sums[tiling.name].push_back(serial ? column.back() : column[column.size() / 2]);
        }
        columns[tiling.name] = static_cast<double>(tiling.cols * tiling.active);
    }
    auto const of = [&](char const* name) { return middle(placement.mesh, tiles.at(name)); };
    auto const end = [&](char const* name) { return middle(placement.mesh, sums.at(name)); };
    bool const colocated = given.design.kv_pool == KvPool::colocated, gated = tiles.count("gate") != 0;
    auto const keys = colocated ? of("k") : middle(placement.mesh, pool);
    auto const values = colocated ? of("v") : middle(placement.mesh, pool);
    double const bytes = given.machine.vector_bytes(static_cast<double>(given.design.crossbar));
    double cost = 0.0;
    auto const edge = [&](double vectors, Spot from, Spot to) { cost += vectors * bytes * from.to(to); };
    for (auto const* to : {"q", "k", "v"}) edge(static_cast<double>(given.parts.n), end("down"), of(to));
    edge(columns["q"], end("q"), keys);
    edge(columns["k"], end("k"), keys);
    edge(columns["v"], end("v"), values);
    edge(columns["q"], values, of("o"));
    if (gated) edge(columns["o"], end("o"), of("gate"));
    edge(columns["o"], end("o"), of("up"));
    if (gated) edge(columns["up"], end("gate"), end("up"));
    edge(columns["up"], end("up"), of("down"));
    return cost;
}

std::vector<Given> designs() {
    std::vector<Given> all;
    for (char const* model : {"llama-3.2-1b", "opt-125m", "llada-moe-7b-a1b", "qwen2.5-0.5b"}) {
        for (char const* schedule : {"serial", "tree"}) {
            for (char const* pool : {"layer", "attention", "colocated"}) {
                all.emplace_back(Settings{{"llm", model}, {"schedule", schedule}, {"kv_pool", pool}, {"input", "64"}});
            }
        }
    }
    return all;
}

TEST(Flow, costs_by_columns_exactly_what_it_costs_by_routers) {
    int laid_out = 0, refused = 0;
    for (auto const& given : designs()) {
        auto const key = given.packed();
        Flow const flow(given.machine, key, given.design.schedule);
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            auto const genes = random_genes(given, seed);
            auto const placement = place(given.ground(), genes);
            LaidLayer laid;
            ASSERT_EQ(flow.lay_out(genes, laid), !placement.matrices.empty()) << seed;
            ++(placement.matrices.empty() ? refused : laid_out);
            if (placement.matrices.empty()) continue;
            ASSERT_EQ(flow.byte_hops(laid, genes.directions), slow_byte_hops(given, placement)) << seed;
        }
    }
    EXPECT_GT(laid_out, 300);
    EXPECT_GT(refused, 30);
}

TEST(Flow, knows_a_cost_that_no_directions_of_the_attention_are_below) {
    int tight = 0;
    for (auto const& given : designs()) {
        auto const key = given.packed();
        Flow const flow(given.machine, key, given.design.schedule);
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            LaidLayer laid;
            if (!flow.lay_out(random_genes(given, seed), laid)) continue;
            double const lower = flow.min_byte_hops(laid);
            double min = 1e300;
            std::vector<CrossbarOrder> directions(given.parts.matrices.size(), CrossbarOrder::normal);
            for (int code = 0; code < 81; ++code) {
                for (int i = 0, rest = code; i < 4; ++i, rest /= 3)
                    directions[static_cast<std::size_t>(i)] = static_cast<CrossbarOrder>(rest % 3);
                min = std::min(min, flow.byte_hops(laid, directions));
            }
            ASSERT_LE(lower, min) << seed;
            tight += lower == min ? 1 : 0;
        }
    }
    EXPECT_GT(tight, 50);
}

TEST(Flow, lays_rectangles_matrix_by_matrix_as_it_lays_them_all) {
    int fit = 0;
    for (auto const& given : designs()) {
        auto const key = given.packed();
        Flow const flow(given.machine, key, given.design.schedule);
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            auto genes = packed_genes(given.parts);
            genes.heights = random_genes(given, seed).heights;
            if (genes.heights.empty()) continue;
            LaidLayer all, grown;
            Shelves shelves(key.ground);
            bool fits = true;
            for (std::size_t i = 0; fits && i < genes.heights.size(); ++i)
                fits = flow.lay_rectangles(i, genes.heights[i], shelves, grown);
            ASSERT_EQ(fits, flow.lay_out(genes, all)) << seed;
            if (!fits) continue;
            ++fit;
            ASSERT_EQ(flow.byte_hops(grown, genes.directions), flow.byte_hops(all, genes.directions)) << seed;
        }
    }
    EXPECT_GT(fit, 100);
}

TEST(Serpentine, adds_up_what_lies_on_it) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        auto const random = [&](std::uint64_t what, std::uint64_t below) {
            return static_cast<std::int32_t>(hashed(seed + 1, what) % below);
        };
        Serpentine const path{random(0, 9), random(1, 9), 1 + random(2, 12), random(3, 60), random(4, 60)};
        RouterSum sum;
        std::int32_t i = 0;
        path.each([&](Serpentine::Router router) {
            ASSERT_EQ(path.at(i).row, router.row);
            ASSERT_EQ(path.at(i++).col, router.col);
            sum.add({router.row, router.col});
        });
        EXPECT_EQ(i, path.length);
        EXPECT_EQ(path.sum().rows, sum.rows) << seed;
        EXPECT_EQ(path.sum().cols, sum.cols) << seed;
    }
}

/// All that is offered, cut only when asked.
std::vector<RatedGenes> slow_finalists(std::vector<RatedGenes> const& offered, std::size_t per_shape, std::size_t max) {
    std::map<std::pair<std::int64_t, std::vector<std::int64_t>>, std::set<RatedGenes>> shapes;
    for (auto const& one : offered) {
        auto& best = shapes[{one.genes.band_height, one.genes.heights}];
        if (best.size() == per_shape && one.byte_hops >= best.rbegin()->byte_hops) continue;
        best.insert(one);
        if (best.size() > per_shape) best.erase(std::prev(best.end()));
    }
    std::vector<RatedGenes> all, rectangles;
    for (auto const& [shape, best] : shapes)
        for (auto const& one : best) (shape.second.empty() ? all : rectangles).push_back(one);
    std::sort(rectangles.begin(), rectangles.end());
    rectangles.resize(std::min(rectangles.size(), max));
    all.insert(all.end(), rectangles.begin(), rectangles.end());
    return all;
}

TEST(Shortlist, leaves_out_only_what_cannot_be_among_the_best) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        auto const random = [&](std::uint64_t i, std::uint64_t what, std::uint64_t below) {
            return hashed(seed + 1, 10 * i + what) % below;
        };
        std::uint64_t const costs = seed % 2 == 0 ? 20 : 1000;  // with ties, nearly without
        Shortlist shortlist(3, 10);
        std::vector<RatedGenes> offered;
        for (std::uint64_t i = 0; i < 300; ++i) {
            Genes genes;
            genes.order = {random(i, 0, 5)};
            if (random(i, 1, 3) == 0)
                genes.band_height = static_cast<std::int64_t>(random(i, 2, 4));
            else
                genes.heights = {static_cast<std::int64_t>(random(i, 2, 12))};
            offered.push_back({static_cast<double>(random(i, 3, costs)), genes});
            shortlist.offer(offered.back().byte_hops, genes);
        }
        auto const expected = slow_finalists(offered, 3, 10), found = shortlist.finalists();
        ASSERT_EQ(found.size(), expected.size()) << seed;
        for (std::size_t i = 0; i < found.size(); ++i) {
            ASSERT_EQ(found[i].byte_hops, expected[i].byte_hops) << seed << " " << i;
            ASSERT_EQ(found[i].genes, expected[i].genes) << seed << " " << i;
        }
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::flow_test
