#include "models/cim_mesh/layer/tree_spans.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {

TreeSpans::TreeSpans(Router hub, Area const& area) : hub_(hub) {
    cut(area);
    for (auto const& part : area.rectangles()) {
        fill(part);
        depth_ = std::max(depth_, most_hops(hub, part));
    }
}

void TreeSpans::cut(Area const& area) {
    std::int32_t left = hub_.col, right = hub_.col;
    std::vector<std::int32_t> begins{hub_.col, hub_.col + 1};
    for (auto const& part : area.rectangles()) {
        left = std::min(left, part.left);
        right = std::max(right, part.right());
        begins.insert(begins.end(), {part.left, part.right() + 1});
    }
    begins.insert(begins.end(), {left + 1, right});
    std::sort(begins.begin(), begins.end());
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    for (std::size_t i = 0; i < begins.size() && begins[i] <= right; ++i) {
        std::int32_t const end = i + 1 < begins.size() ? begins[i + 1] : right + 1;
        if (begins[i] >= left) stretches_.push_back({begins[i], end - 1, hub_.row, hub_.row});
    }
}

void TreeSpans::fill(Rectangle const& part) {
    std::int32_t const row = hub_.row;
    for (auto at = find(part.left); at < stretches_.size() && stretches_[at].left <= part.right(); ++at) {
        auto& stretch = stretches_[at];
        stretch.top = std::min(stretch.top, part.top);
        stretch.bottom = std::max(stretch.bottom, part.bottom());
        stretch.above += std::clamp(row - part.top, 0, part.height);
        stretch.below += std::clamp(part.bottom() - row, 0, part.height);
        stretch.on_row = stretch.on_row || (part.top <= row && row <= part.bottom());
    }
}

std::size_t TreeSpans::find(std::int32_t col) const {
    auto const behind = std::upper_bound(stretches_.begin(), stretches_.end(), col,
                                         [](std::int32_t c, Stretch const& s) { return c < s.left; });
    return static_cast<std::size_t>(behind - stretches_.begin()) - 1;
}

}  // namespace pimdse::models::cim_mesh
