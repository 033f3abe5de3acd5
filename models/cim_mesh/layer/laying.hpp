#pragma once

#include "models/cim_mesh/layer/area.hpp"
#include "models/cim_mesh/layer/partition.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Direction of the rows of an output column along the ribbon, which determines the end at which a chain's sum arrives.
enum class CrossbarOrder : std::uint8_t { normal, reversed, snake };

enum class Interleave : std::uint8_t { no, gate_up };

/// The variables of a placement: the order of the matrices and their shapes.
struct Genes {
    std::vector<std::size_t> order;          ///< indices into Partition::matrices in the order of placement
    std::vector<CrossbarOrder> directions;   ///< by matrix of Partition::matrices
    std::int64_t band_height = 0;            ///< rows of a band; 0: the whole mesh
    std::vector<std::int64_t> heights;       ///< by matrix, rows of its rectangles; empty: bands
    Interleave interleave = Interleave::no;  ///< whether columns of consecutive gate and up alternate

    auto operator<=>(Genes const&) const = default;
};

/// Input of a placement: the matrices of a layer, and the size of its compute tiles.
struct Ground {
    std::vector<Tiling> matrices;  ///< in the order of execution
    std::int64_t mesh_rows = 0, mesh_cols = 0;
    std::int64_t placed_tiles = 0;  ///< compute tiles of a layer, side by side

    auto operator<=>(Ground const&) const = default;
};

/// Places output columns on a ribbon through a band. A column that would be split at its end starts on the next band.
class Ribbon {
  public:
    Ribbon(Ground const& ground, Genes const& genes);

    [[nodiscard]] std::optional<Serpentine> next(std::int64_t column_rows);

  private:
    std::int64_t height_, bands_, length_;
    std::int64_t band_ = 0, used_ = 0;
};

/// Places rectangles side by side on shelves inside compute tiles. Cheap to copy for a trial.
class Shelves {
  public:
    explicit Shelves(Ground const& ground)
        : rows_(ground.mesh_rows), cols_(ground.mesh_cols), tiles_(ground.placed_tiles) {}

    /// The place of an output column in a rectangle of `height` rows; nullopt if there is no space.
    [[nodiscard]] std::optional<Serpentine> next(std::int64_t column_rows, std::int64_t height);

  private:
    /// Finds space for `width` mesh columns on the current shelf or on a new one; false if there is none.
    [[nodiscard]] bool open(std::int64_t height, std::int64_t width);

    std::int64_t rows_, cols_, tiles_;
    std::int64_t tile_ = 0, top_ = 0, shelf_height_ = 0, next_col_ = 0;
    // Of the last mesh columns that were started:
    std::int64_t height_ = 0, column_rows_ = 0, stack_ = 0, width_ = 0, stacked_ = 0, left_ = 0;
};

/// Whether the columns of the matrices number `place` and `place` + 1 in the order alternate.
[[nodiscard]] bool are_in_turn(Ground const& ground, Genes const& genes, std::size_t place);

/// Calls `visit(which, copy, col)` for all output columns in the order of placement, as long as it returns true.
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

/// Calls `put(which, copy, col, serpentine)` for all output columns; false if they do not fit.
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
