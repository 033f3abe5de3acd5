#pragma once

#include "models/cim_mesh/layer/partition.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Sums of the row numbers and of the column numbers of routers.
struct RouterSum {
    std::int64_t rows = 0, cols = 0;

    void add(RouterSum const& more) {
        rows += more.rows;
        cols += more.cols;
    }
};

/// A rectangle of routers, which is never empty.
struct Rectangle {
    std::int32_t top = 0, left = 0, height = 1, width = 1;

    [[nodiscard]] std::int32_t bottom() const { return top + height - 1; }
    [[nodiscard]] std::int32_t right() const { return left + width - 1; }
    [[nodiscard]] std::int64_t routers() const { return std::int64_t{height} * width; }
};

/// A part of a serpentine that runs down its first mesh column, up the second, and so on: the routers of an output
/// column.
struct Serpentine {
    std::int32_t top = 0, left = 0;  ///< router of position 0
    std::int32_t height = 1;
    std::int32_t first = 0, length = 0;  ///< first position and number of positions

    struct Router {
        std::int32_t row, col;
    };
    [[nodiscard]] Router at(std::int32_t i) const {
        std::int32_t const fold = (first + i) / height, along = (first + i) % height;
        return {top + (fold % 2 == 0 ? along : height - 1 - along), left + fold};
    }
    /// First and last mesh column.
    [[nodiscard]] std::int32_t left_col() const { return left + first / height; }
    [[nodiscard]] std::int32_t right_col() const { return left + (first + length - 1) / height; }
    /// Calls `visit(router)` for all routers in order.
    template <class Visit>
    void each(Visit const& visit) const {
        std::int32_t fold = first / height, along = first % height;
        for (std::int32_t i = 0; i < length; ++i) {
            visit(Router{top + (fold % 2 == 0 ? along : height - 1 - along), left + fold});
            if (++along < height) continue;
            along = 0;
            ++fold;
        }
    }
    /// Calls `visit(rectangle)` for the rectangles that form it: whole mesh columns, and a part of a column before and
    /// after them.
    template <class Visit>
    void rectangles(Visit const& visit) const {
        std::int32_t fold = first / height, rest = length;
        std::int32_t const along = first - fold * height;
        auto const part = [&](std::int32_t from, std::int32_t count) {
            visit(Rectangle{top + (fold % 2 == 0 ? from : height - from - count), left + fold, count, 1});
            ++fold;
            rest -= count;
        };
        if (along != 0 || length < height) part(along, std::min(length, height - along));
        if (std::int32_t const whole = rest / height; whole > 0) {
            visit(Rectangle{top, left + fold, height, whole});
            fold += whole;
            rest -= whole * height;
        }
        if (rest > 0) part(0, rest);
    }
    /// Sum over all routers.
    [[nodiscard]] RouterSum sum() const {
        auto const end = before(first + length), start = first == 0 ? RouterSum{} : before(first);
        return {end.rows - start.rows + std::int64_t{top} * length,
                end.cols - start.cols + std::int64_t{left} * length};
    }

  private:
    /// Sum over the first positions, relative to the router of position 0.
    [[nodiscard]] RouterSum before(std::int32_t positions) const {
        std::int64_t const folds = positions / height, rest = positions % height;
        std::int64_t const down = rest * (rest - 1) / 2;
        return {
            folds * (std::int64_t{height} * (height - 1) / 2) + (folds % 2 == 0 ? down : rest * (height - 1) - down),
            height * (folds * (folds - 1) / 2) + folds * rest};
    }
};

using Router = Serpentine::Router;

/// A set of routers as rectangles that do not overlap. Their number is small if output columns that are added one after
/// another are neighbours.
class Area {
  public:
    void add(Rectangle const& more);
    void add(Serpentine const& stretch) {
        stretch.rectangles([&](Rectangle const& part) { add(part); });
    }

    [[nodiscard]] std::span<Rectangle const> rectangles() const { return rectangles_; }
    [[nodiscard]] bool empty() const { return rectangles_.empty(); }
    [[nodiscard]] std::int64_t routers() const;
    [[nodiscard]] RouterSum sum() const;
    /// Number of mesh columns with any of the routers.
    [[nodiscard]] std::int64_t columns() const;
    /// Hops to the nearest router. Precondition: not empty.
    [[nodiscard]] std::int32_t distance(Router from) const;

  private:
    std::vector<Rectangle> rectangles_;
};

[[nodiscard]] std::int32_t hops_between(Router a, Router b);
/// Hops to the nearest router, and to the farthest one.
[[nodiscard]] std::int32_t min_hops(Router from, Rectangle const& to);
[[nodiscard]] std::int32_t min_hops(Router from, Serpentine const& to);
[[nodiscard]] std::int32_t max_hops(Router from, Rectangle const& to);

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
