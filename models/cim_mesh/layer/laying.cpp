#include "models/cim_mesh/layer/laying.hpp"

#include <cstdlib>
#include <limits>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

/// Joins two rectangles if their union is a rectangle.
bool join(Rectangle& one, Rectangle const& more) {
    bool const beside = one.top == more.top && one.height == more.height &&
                        (one.left + one.width == more.left || more.left + more.width == one.left);
    bool const stacked = one.left == more.left && one.width == more.width &&
                         (one.top + one.height == more.top || more.top + more.height == one.top);
    if (!beside && !stacked) return false;
    one.top = std::min(one.top, more.top);
    one.left = std::min(one.left, more.left);
    (beside ? one.width : one.height) += beside ? more.width : more.height;
    return true;
}

/// Distance from a position to the nearest (and to the farthest) of `count` positions from `first` on.
std::int32_t min_away(std::int32_t from, std::int32_t first, std::int32_t count) {
    return std::max({0, first - from, from - (first + count - 1)});
}
std::int32_t max_away(std::int32_t from, std::int32_t first, std::int32_t count) {
    return std::max(from - first, first + count - 1 - from);
}

Serpentine serpentine(std::int64_t top, std::int64_t left, std::int64_t height, std::int64_t first,
                      std::int64_t length) {
    return {static_cast<std::int32_t>(top), static_cast<std::int32_t>(left), static_cast<std::int32_t>(height),
            static_cast<std::int32_t>(first), static_cast<std::int32_t>(length)};
}

}  // namespace

void Area::add(Rectangle const& more) {
    if (rectangles_.empty() || !join(rectangles_.back(), more)) {
        rectangles_.push_back(more);
        return;
    }
    // The joined rectangle may fit to the previous one.
    while (rectangles_.size() > 1 && join(rectangles_[rectangles_.size() - 2], rectangles_.back()))
        rectangles_.pop_back();
}

std::int64_t Area::routers() const {
    std::int64_t all = 0;
    for (auto const& part : rectangles_) all += part.routers();
    return all;
}

RouterSum Area::sum() const {
    RouterSum all;
    for (auto const& part : rectangles_) {
        std::int64_t const rows = part.top + part.bottom(), cols = part.left + part.right();
        all.add({rows * part.routers() / 2, cols * part.routers() / 2});
    }
    return all;
}

std::int64_t Area::columns() const {
    std::vector<std::pair<std::int32_t, std::int32_t>> widths;
    for (auto const& part : rectangles_) widths.emplace_back(part.left, part.left + part.width);
    std::sort(widths.begin(), widths.end());
    std::int64_t all = 0;
    std::int32_t counted = 0;
    for (auto const& [left, end] : widths) {
        all += std::max(0, end - std::max(left, counted));
        counted = std::max(counted, end);
    }
    return all;
}

std::int32_t Area::distance(Router from) const {
    std::int32_t min = min_hops(from, rectangles_.front());
    for (auto const& part : rectangles_) min = std::min(min, min_hops(from, part));
    return min;
}

std::int32_t hops_between(Router a, Router b) { return std::abs(a.row - b.row) + std::abs(a.col - b.col); }

std::int32_t min_hops(Router from, Rectangle const& to) {
    return min_away(from.row, to.top, to.height) + min_away(from.col, to.left, to.width);
}

std::int32_t min_hops(Router from, Serpentine const& to) {
    std::int32_t min = std::numeric_limits<std::int32_t>::max();
    to.rectangles([&](Rectangle const& part) { min = std::min(min, min_hops(from, part)); });
    return min;
}

std::int32_t max_hops(Router from, Rectangle const& to) {
    return max_away(from.row, to.top, to.height) + max_away(from.col, to.left, to.width);
}

Ribbon::Ribbon(Ground const& ground, Genes const& genes)
    : height_(genes.band_height > 0 ? std::min(genes.band_height, ground.mesh_rows) : ground.mesh_rows),
      bands_(ground.mesh_rows / height_),
      length_(height_ * ground.mesh_cols * ground.placed_tiles) {}

std::optional<Serpentine> Ribbon::next(std::int64_t column_rows) {
    if (column_rows > length_) return std::nullopt;
    if (used_ + column_rows > length_) {
        ++band_;
        used_ = 0;
    }
    if (band_ >= bands_) return std::nullopt;
    auto const path = serpentine(band_ * height_, 0, height_, used_, column_rows);
    used_ += column_rows;
    return path;
}

std::optional<Serpentine> Shelves::next(std::int64_t column_rows, std::int64_t height) {
    bool const same = height == height_ && column_rows == column_rows_;
    if (!same) {
        width_ = height < column_rows ? column_rows / height : 1;
        stack_ = height / std::min(height, column_rows);
        height_ = height;
        column_rows_ = column_rows;
    }
    if (!same || stacked_ == stack_) {
        if (!open(height, width_)) return std::nullopt;
        stacked_ = 0;
        left_ = next_col_;
        next_col_ += width_;
    }
    std::int64_t const above = top_ + stacked_++ * column_rows;
    return serpentine(above, tile_ * cols_ + left_, std::min(height, column_rows), 0, column_rows);
}

bool Shelves::open(std::int64_t height, std::int64_t width) {
    if (height > rows_ || width > cols_) return false;
    if (height <= shelf_height_ && next_col_ + width <= cols_) return true;
    top_ += shelf_height_;
    if (top_ + height > rows_) {
        ++tile_;
        top_ = 0;
    }
    shelf_height_ = height;
    next_col_ = 0;
    return tile_ < tiles_;
}

bool are_in_turn(Ground const& ground, Genes const& genes, std::size_t place) {
    if (genes.interleave != Interleave::gate_up || place + 1 >= genes.order.size()) return false;
    auto const &one = ground.matrices[genes.order[place]], &other = ground.matrices[genes.order[place + 1]];
    // Not those of a shared expert and of the others.
    if (one.cols != other.cols || one.stored != other.stored) return false;
    return (one.name == "gate" && other.name == "up") || (one.name == "up" && other.name == "gate");
}

}  // namespace pimdse::models::cim_mesh
