#pragma once

#include <algorithm>
#include <cstdint>
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

}  // namespace pimdse::models::cim_mesh
