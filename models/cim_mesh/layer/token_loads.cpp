#include "models/cim_mesh/layer/token_loads.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

/// Memory of the last loads of this thread: new memory for each would mostly cause page faults.
thread_local std::array<std::vector<std::int32_t>, 6> kept;

}  // namespace

TokenLoads::TokenLoads(sim::noc::Mesh mesh) : mesh_(mesh) {
    auto from = kept.begin();
    for (auto* changes : all()) {
        changes->swap(*from++);
        changes->assign(at(0, mesh.cols + 1), 0);
    }
}

TokenLoads::~TokenLoads() {
    auto to = kept.begin();
    for (auto* changes : all()) changes->swap(*to++);
}

void TokenLoads::along_column(Changes& changes, std::int32_t col, std::int32_t first, std::int32_t last,
                              std::int32_t load) {
    if (first > last) return;
    changes[at(first, col)] += load;
    changes[at(last + 1, col)] -= load;
}

void TokenLoads::along_row(Changes& changes, std::int32_t row, std::int32_t first, std::int32_t last,
                           std::int32_t load) {
    if (first > last) return;
    changes[at(row, first)] += load;
    changes[at(row, last + 1)] -= load;
}

/// Every router receives the vectors once; in the hub they start.
void TokenLoads::add_broadcast(TreeSpans const& tree, std::int32_t vectors) {
    auto const [row, hub] = tree.hub();
    for (auto const& part : tree.stretches()) {
        for (std::int32_t col = part.left; col <= part.right; ++col) {
            along_column(entering_, col, part.top, part.bottom, vectors);
            along_column(north_, col, part.top + 1, row, vectors);
            along_column(south_, col, row, part.bottom - 1, vectors);
        }
    }
    along_row(west_, row, tree.left() + 1, hub, vectors);
    along_row(east_, row, hub, tree.right() - 1, vectors);
}

/// Vectors enter by every link of the tree, and start in every router of the area.
void TokenLoads::add_sum(TreeSpans const& tree, Area const& from, std::int32_t vectors) {
    auto const [row, hub] = tree.hub();
    for (auto const& part : tree.stretches()) {
        for (std::int32_t col = part.left; col <= part.right; ++col) {
            along_column(south_, col, part.top, row - 1, vectors);
            along_column(north_, col, row + 1, part.bottom, vectors);
            along_column(entering_, col, part.top + 1, row, vectors);
            along_column(entering_, col, row, part.bottom - 1, vectors);
        }
    }
    along_row(passing_, row, tree.left() + 1, hub, vectors);
    along_row(passing_, row, hub, tree.right() - 1, vectors);
    along_row(east_, row, tree.left(), hub - 1, vectors);
    along_row(west_, row, hub + 1, tree.right(), vectors);
    for (auto const& part : from.rectangles()) {
        for (std::int32_t col = part.left; col <= part.right(); ++col)
            along_column(entering_, col, part.top, part.bottom(), vectors);
    }
}

void TokenLoads::add(Route const& route) {
    auto const& [from, to] = route;
    along_row(passing_, from.row, std::min(from.col, to.col), std::max(from.col, to.col), 1);
    along_row(east_, from.row, from.col, to.col - 1, 1);
    along_row(west_, from.row, to.col + 1, from.col, 1);
    along_column(entering_, to.col, from.row + 1, to.row, 1);
    along_column(entering_, to.col, to.row, from.row - 1, 1);
    along_column(south_, to.col, from.row, to.row - 1, 1);
    along_column(north_, to.col, to.row + 1, from.row, 1);
}

/// A router forwards its sum towards the middle; a sum to another mesh column leaves along the row.
void TokenLoads::add(OutputColumn const& column) {
    auto const& path = column.path;
    std::int32_t const half = path.length / 2, root = column.backwards ? path.length - 1 - half : half;
    for (std::int32_t col = path.left_col(); col <= path.right_col(); ++col) {
        std::int32_t const fold = col - path.left, start = fold * path.height - path.first;
        std::int32_t const first = std::max(0, start), last = std::min(path.length, start + path.height) - 1;
        bool const down = fold % 2 == 0;
        auto const row = [&](std::int32_t i) { return path.top + (down ? i - start : path.height - 1 - i + start); };
        auto const positions = [&](Changes& changes, std::int32_t from, std::int32_t to) {
            from = std::max(from, first);
            to = std::min(to, last);
            if (down)
                along_column(changes, col, row(from), row(to), 1);
            else
                along_column(changes, col, row(to), row(from), 1);
        };
        positions(entering_, first, last);
        positions(entering_, 1, root);
        positions(entering_, root, path.length - 2);
        positions(down ? south_ : north_, first, std::min(root, last) - 1);
        positions(down ? north_ : south_, std::max(root, first) + 1, last);
        if (last < root) along_row(east_, row(last), col, col, 1);
        if (first > root) along_row(west_, row(first), col, col, 1);
    }
}

VectorLoads TokenLoads::busiest() && {
    std::int32_t link = 0, router = 0;
    std::size_t here = 0, next = at(0, 1);
    for (std::int32_t col = 0; col < mesh_.cols; ++col, ++here, ++next) {
        std::int32_t entering = 0, north = 0, south = 0;
        for (std::int32_t row = 0; row < mesh_.rows; ++row, ++here, ++next) {
            entering += entering_[here];
            north += north_[here];
            south += south_[here];
            std::int32_t const passing = passing_[here], east = east_[here], west = west_[here];
            passing_[next] += passing;
            east_[next] += east;
            west_[next] += west;
            router = std::max(router, entering + passing);
            link = std::max(link, std::max(std::max(north, south), std::max(east, west)));
        }
    }
    return {link, router};
}

}  // namespace pimdse::models::cim_mesh
