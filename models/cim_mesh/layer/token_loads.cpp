#include "models/cim_mesh/layer/token_loads.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {

TokenLoads::TokenLoads(sim::noc::Mesh mesh) : mesh_(mesh), changes_(std::move(kept())) {
    for (auto& changes : changes_) changes.assign(at(0, mesh.cols + 1), 0);
}

void TokenLoads::along_column(Load of, std::int32_t col, std::int32_t first, std::int32_t last, std::int32_t load) {
    if (first > last) return;
    changes_[of][at(first, col)] += load;
    changes_[of][at(last + 1, col)] -= load;
}

void TokenLoads::along_row(Load of, std::int32_t row, std::int32_t first, std::int32_t last, std::int32_t load) {
    if (first > last) return;
    changes_[of][at(row, first)] += load;
    changes_[of][at(row, last + 1)] -= load;
}

/// Every router receives the vectors once; in the hub they start.
void TokenLoads::add_broadcast(TreeSpans const& tree, std::int32_t vectors) {
    auto const [row, hub] = tree.hub();
    for (auto const& part : tree.stretches()) {
        for (std::int32_t col = part.left; col <= part.right; ++col) {
            along_column(entering, col, part.top, part.bottom, vectors);
            along_column(north, col, part.top + 1, row, vectors);
            along_column(south, col, row, part.bottom - 1, vectors);
        }
    }
    along_row(west, row, tree.left() + 1, hub, vectors);
    along_row(east, row, hub, tree.right() - 1, vectors);
}

/// Vectors enter by every link of the tree, and start in every router of the area.
void TokenLoads::add_sum(TreeSpans const& tree, Area const& from, std::int32_t vectors) {
    auto const [row, hub] = tree.hub();
    for (auto const& part : tree.stretches()) {
        for (std::int32_t col = part.left; col <= part.right; ++col) {
            along_column(south, col, part.top, row - 1, vectors);
            along_column(north, col, row + 1, part.bottom, vectors);
            along_column(entering, col, part.top + 1, row, vectors);
            along_column(entering, col, row, part.bottom - 1, vectors);
        }
    }
    along_row(passing, row, tree.left() + 1, hub, vectors);
    along_row(passing, row, hub, tree.right() - 1, vectors);
    along_row(east, row, tree.left(), hub - 1, vectors);
    along_row(west, row, hub + 1, tree.right(), vectors);
    for (auto const& part : from.rectangles()) {
        for (std::int32_t col = part.left; col <= part.right(); ++col)
            along_column(entering, col, part.top, part.bottom(), vectors);
    }
}

void TokenLoads::add(Route const& route) {
    auto const& [from, to] = route;
    along_row(passing, from.row, std::min(from.col, to.col), std::max(from.col, to.col), 1);
    along_row(east, from.row, from.col, to.col - 1, 1);
    along_row(west, from.row, to.col + 1, from.col, 1);
    along_column(entering, to.col, from.row + 1, to.row, 1);
    along_column(entering, to.col, to.row, from.row - 1, 1);
    along_column(south, to.col, from.row, to.row - 1, 1);
    along_column(north, to.col, to.row + 1, from.row, 1);
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
        auto const positions = [&](Load of, std::int32_t from, std::int32_t to) {
            from = std::max(from, first);
            to = std::min(to, last);
            if (down)
                along_column(of, col, row(from), row(to), 1);
            else
                along_column(of, col, row(to), row(from), 1);
        };
        positions(entering, first, last);
        positions(entering, 1, root);
        positions(entering, root, path.length - 2);
        positions(down ? south : north, first, std::min(root, last) - 1);
        positions(down ? north : south, std::max(root, first) + 1, last);
        if (last < root) along_row(east, row(last), col, col, 1);
        if (first > root) along_row(west, row(first), col, col, 1);
    }
}

VectorLoads TokenLoads::busiest() const {
    std::int32_t link = 0, router = 0;
    std::vector<std::array<std::int32_t, 3>> rows(static_cast<std::size_t>(mesh_.rows));  // passing, east, west
    std::size_t here = 0;
    for (std::int32_t col = 0; col < mesh_.cols; ++col, ++here) {
        std::int32_t into = 0, up = 0, down = 0;
        for (auto& along : rows) {
            into += changes_[entering][here];
            up += changes_[north][here];
            down += changes_[south][here];
            for (std::size_t i = 0; i < along.size(); ++i) along[i] += changes_[passing + i][here];
            router = std::max(router, into + along[0]);
            link = std::max(link, std::max(std::max(up, down), std::max(along[1], along[2])));
            ++here;
        }
    }
    return {link, router};
}

}  // namespace pimdse::models::cim_mesh
