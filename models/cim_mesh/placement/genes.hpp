#pragma once

#include "models/cim_mesh/placement/partition.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Which way the rows of an output column run along the ribbon, and so at which end a chain's sum arrives.
enum class CrossbarOrder : std::uint8_t { normal, reversed, snake };

enum class Interleave : std::uint8_t { no, gate_up };

/// What a placement is made of: the order of the matrices and the shapes they are laid in.
struct Genes {
    std::vector<std::size_t> order;          ///< of Partition::matrices, first laid first
    std::vector<CrossbarOrder> directions;   ///< by matrix of Partition::matrices
    std::int64_t band_height = 0;            ///< rows of a band; 0: the whole mesh
    std::vector<std::int64_t> heights;       ///< by matrix, rows of its rectangles; empty: bands
    Interleave interleave = Interleave::no;  ///< columns of gate and up, where they follow each other, in turn

    auto operator<=>(Genes const&) const = default;
};

/// What is laid, and where there is room for it.
struct Ground {
    std::vector<Tiling> matrices;  ///< in the order of execution
    std::int64_t mesh_rows = 0, mesh_cols = 0;
    std::int64_t placed_tiles = 0;  ///< compute tiles of a layer, side by side

    auto operator<=>(Ground const&) const = default;
};

}  // namespace pimdse::models::cim_mesh
