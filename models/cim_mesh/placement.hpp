#pragma once

#include "models/cim_mesh/partition.hpp"
#include "sim/noc/mesh.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Which way the rows of an output column run along the ribbon, and so at which end a chain's sum arrives.
enum class TileOrder : std::uint8_t { normal, reversed, snake };

/// What a placement is made of: the order of the matrices and the height of the ribbon they are laid on.
struct Genes {
    std::vector<std::size_t> order;     ///< of Partition::matrices, first laid first
    std::vector<TileOrder> directions;  ///< by matrix of Partition::matrices
    std::int64_t band_height = 0;       ///< rows of a band; 0: the whole mesh

    auto operator<=>(Genes const&) const = default;
};

/// The order of execution, all rows of the mesh, all columns downwards.
[[nodiscard]] Genes packed_genes(Partition const& partition);

/// As the design's gene parameters say.
[[nodiscard]] Genes chosen_genes(Design const& design, Partition const& partition);

/// Output columns of one copy of a matrix; each is a path of neighbouring routers that ends where its sum arrives.
struct PlacedMatrix {
    std::size_t tiling = 0;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::vector<sim::noc::Node> tiles;  ///< column after column

    [[nodiscard]] std::span<sim::noc::Node const> column(std::int64_t at) const {
        return std::span(tiles).subspan(static_cast<std::size_t>(at * rows), static_cast<std::size_t>(rows));
    }
};

/// A layer's crossbars on its compute tiles, which lie side by side and are linked as inside a tile.
struct Placement {
    sim::noc::Mesh mesh;
    std::vector<PlacedMatrix> matrices;  ///< in the order of Partition::matrices, all copies
    std::vector<sim::noc::Node> pool;    ///< routers of the layer in the order of the ribbon
};

/// Lays the matrices on a ribbon that runs down and up the columns of a band, band under band. An output column that would
/// be torn at the end of a band starts on the next one. Empty if they do not fit the partition's compute tiles.
[[nodiscard]] Placement place(Design const& design, Partition const& partition, Genes const& genes);

/// True if no router holds two crossbars and every column is a path of neighbours.
[[nodiscard]] bool is_legal(Placement const& placement);

}  // namespace pimdse::models::cim_mesh
