#include "models/cim_mesh/layer/placed_layer.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"
#include "tests/unit/models/cim_mesh/layer/random_genes.hpp"
#include "tests/unit/models/cim_mesh/layer/slow_loads.hpp"
#include "tests/unit/models/cim_mesh/layer/slow_shapes.hpp"

#include <gtest/gtest.h>
#include <algorithm>

/// Layers of any genes, measured by output columns and router by router.
namespace pimdse::models::cim_mesh::test::placed_routes_test {
namespace {

using sim::noc::Node;

/// Routers of a placed layer one by one.
struct SlowLayer {
    Given const& given;
    PlacedLayer const& layer;
    sim::noc::Mesh mesh = layer.placement().mesh;
    Ground ground = given.ground();

    [[nodiscard]] std::vector<PlacedMatrix const*> active(std::vector<std::string> const& names) const {
        std::vector<PlacedMatrix const*> all;
        std::vector<std::int64_t> used(ground.matrices.size(), 0);
        for (auto const& matrix : layer.placement().matrices) {
            auto const& tiling = ground.matrices[matrix.tiling];
            bool const named = std::find(names.begin(), names.end(), tiling.name) != names.end();
            if (named && used[matrix.tiling]++ < tiling.active) all.push_back(&matrix);
        }
        return all;
    }
    [[nodiscard]] std::vector<Node> tiles(std::vector<std::string> const& names) const {
        std::vector<Node> all;
        for (auto const* matrix : active(names)) {
            auto const own = routers_of(layer.placement(), *matrix);
            all.insert(all.end(), own.begin(), own.end());
        }
        return all;
    }
    [[nodiscard]] Router router(Node node) const { return {mesh.row(node), mesh.col(node)}; }
    /// The tile nearest to the middle; the first among equals.
    [[nodiscard]] Node hub(std::vector<Node> const& tiles) const {
        std::int64_t rows = 0, cols = 0;
        for (Node const tile : tiles) {
            rows += mesh.row(tile);
            cols += mesh.col(tile);
        }
        auto const count = static_cast<std::int64_t>(tiles.size());
        Node const middle = mesh.at(static_cast<std::int32_t>((rows + count / 2) / count),
                                    static_cast<std::int32_t>((cols + count / 2) / count));
        return *std::min_element(tiles.begin(), tiles.end(),
                                 [&](Node a, Node b) { return mesh.distance(a, middle) < mesh.distance(b, middle); });
    }
    [[nodiscard]] double length(Node a, Node b) const {
        auto const& ruler = layer.ruler();
        return static_cast<double>(mesh.distance(a, b)) + ruler.border_hops * ruler.borders(a, b);
    }
    [[nodiscard]] double farthest(Node from, std::vector<Node> const& to) const {
        double max = 0.0;
        for (Node const node : to) max = std::max(max, length(from, node));
        return max;
    }
    [[nodiscard]] Node last_sum(std::vector<std::string> const& names) const {
        auto const& matrix = *active(names).back();
        auto const& column = layer.placement().column(matrix, ground.matrices[matrix.tiling].summed - 1);
        return routers_of(mesh, column).back();
    }
    /// Links between routers of the routes that no chain hides, from single routers.
    [[nodiscard]] double fill_links() const {
        auto const qkv = tiles({"q", "k", "v"}), up = tiles({"gate", "up"}), down = tiles({"down"});
        Node const last = last_sum({"down"}), next = hub(qkv);
        auto const max = [&](Node from, std::vector<Node> const& to) {
            double all = 0.0;
            for (Node const node : to) all = std::max(all, static_cast<double>(mesh.distance(from, node)));
            return all;
        };
        double const over = std::abs(mesh.row(last) - mesh.row(next)) + mesh.cols - mesh.col(last) + mesh.col(next);
        return over + max(next, qkv) + max(next, tiles({"o"})) +
               static_cast<double>(mesh.distance(last_sum({"o"}), hub(up))) + max(hub(up), up) +
               static_cast<double>(mesh.distance(last_sum({"gate", "up"}), hub(down))) + max(hub(down), down);
    }
    [[nodiscard]] double fill() const {
        auto const qkv = tiles({"q", "k", "v"}), up = tiles({"gate", "up"}), down = tiles({"down"});
        auto const& ruler = layer.ruler();
        Node const last = last_sum({"down"}), next = hub(qkv);
        double const over = std::abs(mesh.row(last) - mesh.row(next)) + mesh.cols - mesh.col(last) + mesh.col(next) +
                            ruler.border_hops * (static_cast<double>(mesh.cols) / static_cast<double>(ruler.tile_cols) -
                                                 ruler.tile_of(last) + ruler.tile_of(next));
        return over + farthest(next, qkv) + farthest(next, tiles({"o"})) + length(last_sum({"o"}), hub(up)) +
               farthest(hub(up), up) + length(last_sum({"gate", "up"}), hub(down)) + farthest(hub(down), down);
    }
    [[nodiscard]] double chain_borders(std::int64_t at_once) const {
        double all = 0.0;
        std::vector<std::string> names;
        for (auto const& tiling : ground.matrices) names.push_back(tiling.name);
        for (auto const* matrix : active(names)) {
            std::int64_t const summed = ground.matrices[matrix->tiling].summed;
            for (std::int64_t first = 0; first < summed; first += at_once) {
                double max = 0.0;
                for (std::int64_t col = first; col < std::min(summed, first + at_once); ++col) {
                    auto const path = routers_of(mesh, layer.placement().column(*matrix, col));
                    double crossed = 0.0;
                    for (std::size_t i = 1; i < path.size(); ++i)
                        crossed += layer.ruler().borders(path[i - 1], path[i]);
                    max = std::max(max, crossed);
                }
                all += max;
            }
        }
        return all;
    }
    [[nodiscard]] std::vector<Node> pool() const {
        if (given.design.kv_pool == KvPool::layer) return routers_of(layer.placement());
        return given.design.kv_pool == KvPool::colocated ? tiles({"k", "v"}) : tiles({"q", "k", "v", "o"});
    }
};

void expect_measured(SlowLayer const& slow) {
    auto const& layer = slow.layer;
    EXPECT_EQ(layer.fill(), slow.fill());
    EXPECT_EQ(layer.fill_links(), slow.fill_links());
    for (std::int64_t const at_once : {1, 3}) EXPECT_EQ(layer.chain_borders(at_once), slow.chain_borders(at_once));
    auto const pool = slow.pool();
    Node const hub = slow.hub(slow.tiles({"q", "k", "v"}));
    ASSERT_EQ(layer.max_owners(), static_cast<std::int64_t>(pool.size()));
    auto const places = layer.program().owners().from(0, pool.size());
    double sum = 0.0, links = 0.0;
    for (std::size_t i = 0; i < pool.size(); ++i) {
        ASSERT_EQ(hops_between(places[i], slow.router(pool[i])), 0) << i;
        sum += slow.length(hub, pool[i]);
        links += static_cast<double>(slow.mesh.distance(hub, pool[i]));
        if (i % 11 != 0 && i + 1 < pool.size()) continue;
        ASSERT_EQ(layer.holder_routes(static_cast<std::int64_t>(i) + 1).mean, sum / static_cast<double>(i + 1)) << i;
        ASSERT_EQ(layer.holder_routes(static_cast<std::int64_t>(i) + 1).links, links / static_cast<double>(i + 1)) << i;
    }
}

std::vector<Settings> layers() {
    std::vector<Settings> all;
    for (char const* pool : {"layer", "attention", "colocated"}) {
        for (char const* model : {"llama-3.2-1b", "opt-125m", "llada-moe-7b-a1b", "qwen2.5-0.5b"})
            all.push_back({{"llm", model}, {"kv_pool", pool}, {"mesh_rows", "24"}, {"mesh_cols", "40"}});
        all.push_back({{"llm", "llama-3.2-1b"}, {"kv_pool", pool}, {"mesh_rows", "2"}, {"mesh_cols", "100"}});
        all.push_back({{"llm", "llama-3.2-1b"}, {"kv_pool", pool}, {"machine", "leap-d"}});
    }
    all.push_back({{"llm", "llada-moe-7b-a1b"}, {"model_cache", "none"}});
    return all;
}

TEST(PlacedLayer, measures_by_output_columns_what_it_measures_by_routers) {
    int placed = 0;
    for (auto const& settings : layers()) {
        Given const given(settings);
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            PlacedLayer const layer(given.machine,
                                    given.key(seed == 0 ? packed_genes(given.parts) : random_genes(given, seed)));
            if (!layer.fits()) continue;
            ++placed;
            expect_measured({given, layer});
        }
    }
    EXPECT_GT(placed, 60);
}

TEST(PlacedLayer, of_any_genes_counts_what_its_links_and_routers_carry) {
    sim::noc::RouterTiming const timing;
    for (auto const& settings : layers()) {
        Given const given(settings);
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            PlacedLayer const layer(given.machine, given.key(random_genes(given, seed)));
            if (!layer.fits()) continue;
            for (std::int64_t const context : {3, 70}) {
                SlowLoads slow(layer.placement().mesh);
                for (auto const& stage : layer.program().stages(context)) slow.add(stage.phase);
                EXPECT_EQ(layer.loads(context).busiest_link, slow.busiest_link()) << seed;
                EXPECT_EQ(layer.loads(context).busiest_router, slow.busiest_router()) << seed;
            }
            auto const stages = layer.program().fixed_stages();
            for (std::size_t i = 0; i < stages.size(); ++i) {
                auto const shape = shape_of(layer.ruler(), timing, stages[i]);
                EXPECT_EQ(layer.fixed()[i].slowest, shape.slowest) << stages[i].name;
                EXPECT_EQ(layer.fixed()[i].borders, shape.borders) << stages[i].name;
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::placed_routes_test
