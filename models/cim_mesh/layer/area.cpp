#include "models/cim_mesh/layer/area.hpp"

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

}  // namespace pimdse::models::cim_mesh
