#include "models/cim_mesh/layer/placement.hpp"

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

/// Lists all copies of all matrices, without their columns. Returns the index of the first copy of each matrix.
std::vector<std::size_t> list_matrices(Placement& p, Ground const& ground) {
    std::vector<std::size_t> first;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < ground.matrices.size(); ++i) {
        auto const& tiling = ground.matrices[i];
        first.push_back(p.matrices.size());
        p.matrices.insert(p.matrices.end(), static_cast<std::size_t>(tiling.stored), {i, tiling.rows, tiling.cols});
        all += tiling.stored * tiling.cols;
    }
    p.columns.reserve(static_cast<std::size_t>(all));
    return first;
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
    auto const ffn = genes.order.begin() + 4;
    bool const gated = genes.order.size() > 6;
    if (design.ffn_order == FfnOrder::up_gate_down && gated) std::swap(ffn[0], ffn[1]);
    if (design.ffn_order == FfnOrder::down_up_gate) std::reverse(ffn, genes.order.end());
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
    auto const first = list_matrices(p, ground);
    bool const fits =
        lay(ground, genes, [&](std::size_t which, std::int64_t copy, std::int64_t col, Serpentine const& path) {
            std::size_t const number = first[which] + static_cast<std::size_t>(copy), at = p.columns.size();
            auto& matrix = p.matrices[number];
            if (col == 0) matrix.first = at;
            if (col == 1) matrix.step = at - matrix.first;
            p.columns.push_back(
                {path, runs_backwards(genes.directions[which], col), static_cast<std::uint32_t>(number)});
            p.area.add(path);
        });
    if (!fits) return {};
    p.used_cols = p.area.columns();
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

std::vector<Node> routers_of(sim::noc::Mesh mesh, OutputColumn const& column) {
    std::vector<Node> nodes;
    nodes.reserve(static_cast<std::size_t>(column.path.length));
    column.path.each([&](Router at) { nodes.push_back(mesh.at(at.row, at.col)); });
    if (column.backwards) std::reverse(nodes.begin(), nodes.end());
    return nodes;
}

}  // namespace pimdse::models::cim_mesh
