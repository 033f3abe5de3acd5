#pragma once

#include "models/cim_mesh/layer/area.hpp"
#include "models/cim_mesh/layer/partition.hpp"

#include <cstdint>
#include <optional>
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

/// A ribbon through a band, and through the next where an output column would be torn.
class Ribbon {
  public:
    Ribbon(Ground const& ground, Genes const& genes);

    [[nodiscard]] std::optional<Serpentine> next(std::int64_t column_rows);

  private:
    std::int64_t height_, bands_, length_;
    std::int64_t band_ = 0, used_ = 0;
};

/// Rectangles side by side on shelves inside a compute tile. Small enough to be copied where a trial begins.
class Shelves {
  public:
    explicit Shelves(Ground const& ground)
        : rows_(ground.mesh_rows), cols_(ground.mesh_cols), tiles_(ground.placed_tiles) {}

    /// An output column in a rectangle `height` rows high.
    [[nodiscard]] std::optional<Serpentine> next(std::int64_t column_rows, std::int64_t height);

  private:
    /// Room for `width` mesh columns on the current shelf or on a new one.
    [[nodiscard]] bool open(std::int64_t height, std::int64_t width);

    std::int64_t rows_, cols_, tiles_;
    std::int64_t tile_ = 0, top_ = 0, shelf_height_ = 0, next_col_ = 0;
    // of the mesh columns begun last
    std::int64_t height_ = 0, column_rows_ = 0, stack_ = 0, width_ = 0, stacked_ = 0, left_ = 0;
};

/// Whether two matrices are laid column by column in turn.
[[nodiscard]] bool are_in_turn(Ground const& ground, Genes const& genes, std::size_t place);

/// `visit(which, copy, col)` for all output columns in the order in which they are laid, as long as it says true.
template <class Visit>
bool visit_columns(Ground const& ground, Genes const& genes, Visit const& visit) {
    for (std::size_t i = 0; i < genes.order.size(); ++i) {
        auto const first = genes.order[i];
        auto const& tiling = ground.matrices[first];
        bool const pair = are_in_turn(ground, genes, i);
        if (pair) ++i;
        for (std::int64_t copy = 0; copy < tiling.stored; ++copy) {
            for (std::int64_t col = 0; col < tiling.cols; ++col) {
                if (!visit(first, copy, col)) return false;
                if (pair && !visit(genes.order[i], copy, col)) return false;
            }
        }
    }
    return true;
}

/// `put(which, copy, col, serpentine)` for all output columns; false where they do not fit.
template <class Put>
bool lay(Ground const& ground, Genes const& genes, Put const& put) {
    Ribbon ribbon(ground, genes);
    Shelves shelves(ground);
    bool const bands = genes.heights.empty();
    return visit_columns(ground, genes, [&](std::size_t which, std::int64_t copy, std::int64_t col) {
        auto const rows = ground.matrices[which].rows;
        auto const path = bands ? ribbon.next(rows) : shelves.next(rows, genes.heights[which]);
        if (path) put(which, copy, col, *path);
        return path.has_value();
    });
}

}  // namespace pimdse::models::cim_mesh
