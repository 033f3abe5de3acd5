#pragma once

#include "models/cim_mesh/placement/genes.hpp"
#include "models/cim_mesh/placement/serpentine.hpp"

#include <optional>

namespace pimdse::models::cim_mesh {

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
