#include "models/cim_mesh/placement/placement.hpp"

#include "models/cim_mesh/placement/laying.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <numeric>

namespace pimdse::models::cim_mesh {
namespace {

using sim::noc::Node;

bool runs_backwards(CrossbarOrder order, std::int64_t column) {
    return order == CrossbarOrder::reversed || (order == CrossbarOrder::snake && column % 2 == 1);
}

std::int64_t tallest(Ground const& ground, Tiling const& matrix) {
    auto const heights = rectangle_heights(ground, matrix);
    auto const own = std::find(heights.begin(), heights.end(), matrix.rows);
    return own != heights.end() ? *own : heights.empty() ? matrix.rows : heights.back();
}

/// All copies of all matrices, without their tiles; the first copy of each.
std::vector<std::size_t> reserve_matrices(Placement& p, Ground const& ground) {
    std::vector<std::size_t> first;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < ground.matrices.size(); ++i) {
        auto const& tiling = ground.matrices[i];
        first.push_back(p.matrices.size());
        for (std::int64_t copy = 0; copy < tiling.stored; ++copy) {
            p.matrices.push_back({i, tiling.rows, tiling.cols, {}});
            p.matrices.back().tiles.reserve(static_cast<std::size_t>(tiling.tiles()));
        }
        all += tiling.stored * tiling.tiles();
    }
    p.pool.reserve(static_cast<std::size_t>(all));
    return first;
}

std::int64_t used_columns(Placement const& placement) {
    std::vector<bool> used(static_cast<std::size_t>(placement.mesh.cols), false);
    for (Node const node : placement.pool) used[static_cast<std::size_t>(placement.mesh.col(node))] = true;
    return std::count(used.begin(), used.end(), true);
}

}  // namespace

std::vector<std::int64_t> rectangle_heights(Ground const& ground, Tiling const& matrix) {
    std::vector<std::int64_t> heights;
    for (std::int64_t height = 1; height <= ground.mesh_rows; ++height) {
        bool const folds = matrix.rows % height == 0 && matrix.rows / height <= ground.mesh_cols;
        if (folds || height % matrix.rows == 0) heights.push_back(height);
    }
    return heights;
}

Genes packed_genes(Partition const& partition) {
    Genes genes;
    genes.order.resize(partition.matrices.size());
    std::iota(genes.order.begin(), genes.order.end(), std::size_t{0});
    genes.directions.assign(partition.matrices.size(), CrossbarOrder::normal);
    return genes;
}

Genes chosen_genes(Design const& design, Partition const& partition) {
    auto genes = packed_genes(partition);
    std::copy(design.attention_order.begin(), design.attention_order.end(), genes.order.begin());
    auto const behind = genes.order.begin() + 4;
    bool const gated = genes.order.size() > 6;
    if (design.ffn_order == FfnOrder::up_gate_down && gated) std::swap(behind[0], behind[1]);
    if (design.ffn_order == FfnOrder::down_up_gate) std::reverse(behind, genes.order.end());
    if (design.ffn_order == FfnOrder::interleaved) genes.interleave = Interleave::gate_up;
    genes.directions.assign(genes.directions.size(), static_cast<CrossbarOrder>(design.tile_order));
    genes.band_height = design.band_height;
    if (design.shape == MatrixShape::bands) return genes;
    auto const ground = ground_of(design, partition);
    for (std::size_t i = 0; i < partition.matrices.size(); ++i) {
        std::int64_t const rows = i < 4                                  ? design.attention_rows
                                  : partition.matrices[i].name == "down" ? design.down_rows
                                                                         : design.up_rows;
        genes.heights.push_back(rows > 0 ? rows : tallest(ground, ground.matrices[i]));
    }
    return genes;
}

Ground ground_of(Design const& design, Partition const& partition) {
    return {partition.matrices, design.mesh_rows, design.mesh_cols, partition.placed_tiles};
}

Placement place(Ground const& ground, Genes const& genes) {
    Placement p;
    p.mesh = {static_cast<std::int32_t>(ground.mesh_rows),
              static_cast<std::int32_t>(ground.mesh_cols * ground.placed_tiles)};
    auto const first = reserve_matrices(p, ground);
    bool const fits =
        lay(ground, genes, [&](std::size_t which, std::int64_t copy, std::int64_t col, Serpentine const& path) {
            auto const begin = p.pool.size();
            path.each([&](Serpentine::Router at) { p.pool.push_back(p.mesh.at(at.row, at.col)); });
            auto& tiles = p.matrices[first[which] + static_cast<std::size_t>(copy)].tiles;
            tiles.insert(tiles.end(), p.pool.begin() + static_cast<std::ptrdiff_t>(begin), p.pool.end());
            if (runs_backwards(genes.directions[which], col)) std::reverse(tiles.end() - path.length, tiles.end());
        });
    if (!fits) return {};
    p.used_cols = used_columns(p);
    return p;
}

std::string why_no_rectangles(Ground const& ground, Genes const& genes) {
    for (std::size_t i = 0; i < genes.heights.size(); ++i) {
        auto const& matrix = ground.matrices[i];
        auto const heights = rectangle_heights(ground, matrix);
        if (std::find(heights.begin(), heights.end(), genes.heights[i]) == heights.end()) {
            return fmt::format(
                "rectangles of {} rows cannot hold the columns of {} crossbars of matrix {} on a mesh of {} x {}, {} "
                "can",
                genes.heights[i], matrix.rows, matrix.name, ground.mesh_rows, ground.mesh_cols,
                fmt::join(heights, ", "));
        }
    }
    return "";
}

std::string why_no_room(Ground const& ground, Partition const& partition, Genes const& genes) {
    std::string const shape = genes.heights.empty()
                                  ? fmt::format("bands of {} rows", genes.band_height)
                                  : fmt::format("rectangles of {} rows", fmt::join(genes.heights, ", "));
    return fmt::format("{} on a mesh of {} rows do not hold the {} crossbars of a layer on {} compute tiles", shape,
                       ground.mesh_rows, partition.tiles, ground.placed_tiles);
}

bool is_legal(Placement const& placement) {
    std::vector<bool> taken(static_cast<std::size_t>(placement.mesh.nodes()), false);
    for (auto const& matrix : placement.matrices) {
        for (std::size_t i = 0; i < matrix.tiles.size(); ++i) {
            Node const node = matrix.tiles[i];
            if (node < 0 || node >= placement.mesh.nodes() || taken[static_cast<std::size_t>(node)]) return false;
            taken[static_cast<std::size_t>(node)] = true;
            bool const starts_column = i % static_cast<std::size_t>(matrix.rows) == 0;
            if (!starts_column && placement.mesh.distance(matrix.tiles[i - 1], node) != 1) return false;
        }
    }
    return true;
}

}  // namespace pimdse::models::cim_mesh
