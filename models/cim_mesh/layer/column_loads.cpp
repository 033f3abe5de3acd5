#include "models/cim_mesh/layer/column_loads.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::models::cim_mesh {

ColumnLoads::ColumnLoads(std::int32_t rows) {
    for (auto* of : {&entering_, &north_, &south_, &east_, &west_}) of->resize(static_cast<std::size_t>(rows) + 1);
}

void ColumnLoads::clear() {
    for (auto* of : {&entering_, &north_, &south_, &east_, &west_}) std::fill(of->begin(), of->end(), 0);
}

void ColumnLoads::settle() {
    for (auto* of : {&entering_, &north_, &south_}) std::partial_sum(of->begin(), of->end(), of->begin());
}

void ColumnLoads::add_tree(TreeTraffic const& traffic, TreeSpans::Stretch const& columns, std::int32_t col) {
    if (!traffic.inwards)
        add_broadcast(traffic.tree.hub(), columns, traffic.vectors);
    else
        add_sum_tree(traffic, columns, col);
    add_along_row(traffic, col);
}

/// Every router has the vectors once, the hub as its own.
void ColumnLoads::add_broadcast(Router hub, TreeSpans::Stretch const& columns, std::int32_t vectors) {
    add(entering_, columns.top, columns.bottom, vectors);
    add(north_, columns.top + 1, hub.row, vectors);
    add(south_, hub.row, columns.bottom - 1, vectors);
}

/// From every link of the tree, and from every router of the area as its own.
void ColumnLoads::add_sum_tree(TreeTraffic const& traffic, TreeSpans::Stretch const& columns, std::int32_t col) {
    std::int32_t const row = traffic.tree.hub().row, hub = traffic.tree.hub().col, vectors = traffic.vectors;
    add(south_, columns.top, row - 1, vectors);
    add(north_, row + 1, columns.bottom, vectors);
    add(entering_, columns.top + 1, row, vectors);
    add(entering_, row, columns.bottom - 1, vectors);
    if (col <= hub && col > traffic.tree.left()) add(entering_, row, row, vectors);
    if (col >= hub && col < traffic.tree.right()) add(entering_, row, row, vectors);
    for (auto const& part : traffic.from.rectangles()) {
        if (part.left <= col && col <= part.right()) add(entering_, part.top, part.bottom(), vectors);
    }
}

void ColumnLoads::add_along_row(TreeTraffic const& traffic, std::int32_t col) {
    auto const hub = traffic.tree.hub();
    bool const outwards = !traffic.inwards, in_left = col<hub.col, in_right = col> hub.col;
    bool const left_of = outwards ? col <= hub.col && col > traffic.tree.left() : in_right;
    bool const right_of = outwards ? col >= hub.col && col < traffic.tree.right() : in_left;
    if (left_of) at(west_, hub.row) += traffic.vectors;
    if (right_of) at(east_, hub.row) += traffic.vectors;
}

/// Along the column it goes to, behind the router where it turns.
void ColumnLoads::add_way(Way const& arriving) {
    std::int32_t const from = arriving.from.row, to = arriving.to.row;
    if (from < to) {
        add(south_, from, to - 1, 1);
        add(entering_, from + 1, to, 1);
    } else {
        add(north_, to + 1, from, 1);
        add(entering_, to, from - 1, 1);
    }
}

/// A router sends its sum on towards the middle; what it sends to another column leaves along the row.
void ColumnLoads::add_sum(OutputColumn const& column, std::int32_t col) {
    auto const& path = column.path;
    std::int32_t const fold = col - path.left, half = path.length / 2;
    std::int32_t const root = column.backwards ? path.length - 1 - half : half;
    std::int32_t const first = std::max(0, fold * path.height - path.first);
    std::int32_t const last = std::min(path.length, (fold + 1) * path.height - path.first) - 1;
    bool const down = fold % 2 == 0;
    for (std::int32_t i = first; i <= last; ++i) {
        std::int32_t const along = path.first + i - fold * path.height;
        std::int32_t const row = path.top + (down ? along : path.height - 1 - along);
        at(entering_, row) += 1 + (0 < i && i <= root ? 1 : 0) + (root <= i && i < path.length - 1 ? 1 : 0);
        if (i < root) ++at(i == last ? east_ : down ? south_ : north_, row);
        if (i > root) ++at(i == first ? west_ : down ? north_ : south_, row);
    }
}

std::int32_t ColumnLoads::most_up_or_down() const {
    return std::max(*std::max_element(north_.begin(), north_.end()), *std::max_element(south_.begin(), south_.end()));
}

VectorLoads ColumnLoads::most() const {
    return {std::max({most_up_or_down(), *std::max_element(east_.begin(), east_.end()),
                      *std::max_element(west_.begin(), west_.end())}),
            *std::max_element(entering_.begin(), entering_.end())};
}

}  // namespace pimdse::models::cim_mesh
