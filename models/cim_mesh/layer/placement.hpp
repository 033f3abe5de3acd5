#pragma once

#include "models/cim_mesh/layer/area.hpp"
#include "models/cim_mesh/layer/laying.hpp"
#include "sim/noc/mesh.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::models::cim_mesh {

[[nodiscard]] Ground ground_of(Design const& design, Partition const& partition);

/// Rows a rectangle of a matrix may have: divisors of the matrix's rows (an output column is folded over neighbouring
/// mesh columns) and multiples of them (output columns stand on each other), up to the rows of the mesh. Ascending.
[[nodiscard]] std::vector<std::int64_t> rectangle_heights(Ground const& ground, Tiling const& matrix);

/// The order of execution, all rows of the mesh, all columns downwards.
[[nodiscard]] Genes packed_genes(Partition const& partition);

/// As the design's gene parameters say.
[[nodiscard]] Genes chosen_genes(Design const& design, Partition const& partition);

/// An output column where it lies: a path of neighbouring routers that ends where its sum arrives.
struct OutputColumn {
    Serpentine path;
    bool backwards = false;    ///< its rows run against the ribbon
    std::uint32_t matrix = 0;  ///< of Placement::matrices

    [[nodiscard]] Router at(std::int32_t row) const { return path.at(backwards ? path.length - 1 - row : row); }
    [[nodiscard]] Router start() const { return at(0); }
    [[nodiscard]] Router end() const { return at(path.length - 1); }
    /// Where a sum of both halves at once arrives.
    [[nodiscard]] Router middle() const { return at(path.length / 2); }
};

/// One copy of a matrix.
struct PlacedMatrix {
    std::size_t tiling = 0;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::size_t first = 0, step = 1;  ///< its output columns among Placement::columns
};

/// A layer's crossbars on its compute tiles, which lie side by side and are linked as inside a tile.
struct Placement {
    sim::noc::Mesh mesh;
    std::vector<PlacedMatrix> matrices;  ///< in the order of Partition::matrices, all copies
    std::vector<OutputColumn> columns;   ///< in the order of the ribbon
    Area area;                           ///< of all of them
    std::int64_t used_cols = 0;          ///< mesh columns that hold any of them

    [[nodiscard]] OutputColumn const& column(PlacedMatrix const& matrix, std::int64_t col) const {
        return columns[matrix.first + static_cast<std::size_t>(col) * matrix.step];
    }
};

/// Bands: lays the matrices on a ribbon that runs down and up the columns of a band, band under band. An output column
/// that would be torn at the end of a band starts on the next one. Rectangles: lays output column beside output column
/// on shelves inside a compute tile, shelf under shelf, tile after tile; a matrix that reaches the end of a shelf goes
/// on on the next, as a rectangle more. Empty if they do not fit the partition's compute tiles.
[[nodiscard]] Placement place(Ground const& ground, Genes const& genes);

/// Why no matrix has rectangles of these heights, with the numbers; empty if all may have theirs.
[[nodiscard]] std::string why_no_rectangles(Ground const& ground, Genes const& genes);

/// Why place() has nothing to give, with the numbers, where it has nothing.
[[nodiscard]] std::string why_no_room(Ground const& ground, Partition const& partition, Genes const& genes);

/// Routers one by one: of an output column as its sum runs, of a matrix column after column, of a layer in the order of
/// the ribbon.
[[nodiscard]] std::vector<sim::noc::Node> routers_of(sim::noc::Mesh mesh, OutputColumn const& column);
[[nodiscard]] std::vector<sim::noc::Node> routers_of(Placement const& placement, PlacedMatrix const& matrix);
[[nodiscard]] std::vector<sim::noc::Node> routers_of(Placement const& placement);

/// True if no router holds two crossbars and every column is a path of neighbours on the mesh.
[[nodiscard]] bool is_legal(Placement const& placement);

/// All that a placed layer and the collectives on it depend on, but for the flits of a vector.
struct LayerKey {
    Ground ground;
    Genes genes;
    std::int64_t n = 0, f = 0, q = 0, kv = 0;  ///< slices, see Partition
    std::int64_t crossbar = 0;
    KvPool kv_pool = KvPool::layer;
    bool keeps_keys = true;

    auto operator<=>(LayerKey const&) const = default;
};

[[nodiscard]] inline LayerKey layer_key(Design const& design, Partition const& p, Genes genes) {
    return {ground_of(design, p), std::move(genes),   p.n, p.f, p.q, p.kv, design.crossbar,
            design.kv_pool,       design.keeps_keys()};
}

}  // namespace pimdse::models::cim_mesh
