#include "models/cim_mesh/placement.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::models::cim_mesh {
namespace {

using sim::noc::Mesh;
using sim::noc::Node;

/// Positions of a band's ribbon: down its first column, up the second, and so on.
class Ribbon {
  public:
    Ribbon(Mesh mesh, std::int64_t height) : mesh_(mesh), height_(height), bands_(mesh.rows / height), length_(height * mesh.cols) {}

    /// First position of a run of `rows` at or behind `from` that one band holds; -1 if there is none.
    [[nodiscard]] std::int64_t fit(std::int64_t from, std::int64_t rows) const {
        if (rows > length_) return -1;
        if (from % length_ + rows > length_) from = (from / length_ + 1) * length_;
        return from + rows <= bands_ * length_ ? from : -1;
    }

    [[nodiscard]] Node at(std::int64_t position) const {
        std::int64_t const band = position / length_, in_band = position % length_;
        std::int64_t const col = in_band / height_, along = in_band % height_;
        std::int64_t const row = band * height_ + (col % 2 == 0 ? along : height_ - 1 - along);
        return mesh_.at(static_cast<std::int32_t>(row), static_cast<std::int32_t>(col));
    }

  private:
    Mesh mesh_;
    std::int64_t height_, bands_, length_;
};

bool runs_backwards(TileOrder order, std::int64_t column) {
    return order == TileOrder::reversed || (order == TileOrder::snake && column % 2 == 1);
}

}  // namespace

Genes packed_genes(Partition const& partition) {
    Genes genes;
    genes.order.resize(partition.matrices.size());
    std::iota(genes.order.begin(), genes.order.end(), std::size_t{0});
    genes.directions.assign(partition.matrices.size(), TileOrder::normal);
    return genes;
}

Genes chosen_genes(Design const& design, Partition const& partition) {
    auto genes = packed_genes(partition);
    std::copy(design.attention_order.begin(), design.attention_order.end(), genes.order.begin());
    auto const behind = genes.order.begin() + 4;
    bool const gated = genes.order.size() > 6;
    if (design.ffn_order == FfnOrder::up_gate_down && gated) std::swap(behind[0], behind[1]);
    if (design.ffn_order == FfnOrder::down_up_gate) std::reverse(behind, genes.order.end());
    genes.directions.assign(genes.directions.size(), static_cast<TileOrder>(design.tile_order));
    genes.band_height = design.band_height;
    return genes;
}

Placement place(Design const& design, Partition const& partition, Genes const& genes) {
    Placement p;
    p.mesh = {static_cast<std::int32_t>(design.mesh_rows), static_cast<std::int32_t>(design.mesh_cols * partition.placed_tiles)};
    std::int64_t const height = genes.band_height > 0 ? std::min<std::int64_t>(genes.band_height, design.mesh_rows) : design.mesh_rows;
    Ribbon const ribbon(p.mesh, height);
    std::vector<std::vector<PlacedMatrix>> placed(partition.matrices.size());
    std::int64_t next = 0;
    for (auto const which : genes.order) {
        auto const& tiling = partition.matrices[which];
        for (std::int64_t copy = 0; copy < tiling.stored; ++copy) {
            PlacedMatrix matrix{which, tiling.rows, tiling.cols, {}};
            matrix.tiles.reserve(static_cast<std::size_t>(tiling.tiles()));
            for (std::int64_t col = 0; col < tiling.cols; ++col) {
                std::int64_t const from = ribbon.fit(next, tiling.rows);
                if (from < 0) return {};
                bool const backwards = runs_backwards(genes.directions[which], col);
                for (std::int64_t row = 0; row < tiling.rows; ++row) {
                    matrix.tiles.push_back(ribbon.at(from + (backwards ? tiling.rows - 1 - row : row)));
                    p.pool.push_back(ribbon.at(from + row));
                }
                next = from + tiling.rows;
            }
            placed[which].push_back(std::move(matrix));
        }
    }
    for (auto& copies : placed) std::move(copies.begin(), copies.end(), std::back_inserter(p.matrices));
    return p;
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
