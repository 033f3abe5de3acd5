#include "sim/noc/tree.hpp"

#include <algorithm>
#include <cstdlib>

namespace pimdse::sim::noc {
namespace {

int path_depth(std::size_t length, std::size_t root_at) {
    return static_cast<int>(std::max(root_at, length - 1 - root_at));
}

}  // namespace

Tree Tree::xy(Mesh mesh, Node root, std::span<Node const> members) {
    // Along the root's row to every column in use, then up and down it: per column the reach is all there is to know.
    struct Reach {
        std::int32_t top, bottom;
    };
    auto const row = mesh.row(root), col = mesh.col(root);
    std::vector<Reach> reach(static_cast<std::size_t>(mesh.cols), Reach{row, row});
    std::vector<bool> member(static_cast<std::size_t>(mesh.nodes()), false);
    std::int32_t left = col, right = col;
    Tree tree;
    tree.mesh_ = mesh;
    tree.root_ = root;
    for (Node const node : members) {
        std::int32_t const y = mesh.row(node), x = node - y * mesh.cols;
        auto& r = reach[static_cast<std::size_t>(x)];
        r = {std::min(r.top, y), std::max(r.bottom, y)};
        left = std::min(left, x);
        right = std::max(right, x);
        tree.members_ += member[static_cast<std::size_t>(node)] ? 0 : 1;
        member[static_cast<std::size_t>(node)] = true;
        tree.depth_ = std::max(tree.depth_, std::abs(x - col) + std::abs(y - row));
    }
    std::size_t routers = 0;
    for (std::int32_t x = left; x <= right; ++x) {
        auto const [top, bottom] = reach[static_cast<std::size_t>(x)];
        routers += static_cast<std::size_t>(bottom - top + 1);
    }
    tree.branches_.reserve(routers);
    for (std::int32_t y = 0; y < mesh.rows; ++y) {
        for (std::int32_t x = left; x <= right; ++x) {
            auto const [top, bottom] = reach[static_cast<std::size_t>(x)];
            if (y < top || y > bottom) continue;
            Node const node = mesh.at(y, x);
            Branch branch{node, 0, Port::local, member[static_cast<std::size_t>(node)]};
            if (x != col) branch.parent = x < col ? Port::east : Port::west;
            if (y != row) branch.parent = y < row ? Port::south : Port::north;
            if (y <= row && y > top) branch.children |= bit(Port::north);
            if (y >= row && y < bottom) branch.children |= bit(Port::south);
            if (y == row && x >= col && x < right) branch.children |= bit(Port::east);
            if (y == row && x <= col && x > left) branch.children |= bit(Port::west);
            tree.branches_.push_back(branch);
        }
    }
    return tree;
}

Tree Tree::path(Mesh mesh, std::span<Node const> path, std::size_t root_at) {
    expects(root_at < path.size(), "the root lies on the path");
    Tree tree;
    tree.mesh_ = mesh;
    tree.root_ = path[root_at];
    tree.depth_ = path_depth(path.size(), root_at);
    tree.members_ = static_cast<int>(path.size());
    tree.branches_.reserve(path.size());
    for (std::size_t i = 0; i < path.size(); ++i) {
        Branch branch{path[i], 0, Port::local, true};
        auto const link = [&](std::size_t other) {
            expects(mesh.distance(path[i], path[other]) == 1, "routers of a path are neighbours");
            return mesh.towards(path[i], path[other]);
        };
        if (i < root_at) branch.parent = link(i + 1);
        if (i > root_at) branch.parent = link(i - 1);
        if (i > 0 && i <= root_at) branch.children |= bit(link(i - 1));
        if (i + 1 < path.size() && i >= root_at) branch.children |= bit(link(i + 1));
        tree.branches_.push_back(branch);
    }
    std::sort(tree.branches_.begin(), tree.branches_.end(),
              [](Branch const& a, Branch const& b) { return a.node < b.node; });
    auto const twice = std::adjacent_find(tree.branches_.begin(), tree.branches_.end(),
                                          [](auto const& a, auto const& b) { return a.node == b.node; });
    expects(twice == tree.branches_.end(), "a router stands on a path once");
    return tree;
}

Branch const& Tree::at(Node node) const {
    auto const found =
        std::lower_bound(branches_.begin(), branches_.end(), node, [](Branch const& b, Node n) { return b.node < n; });
    expects(found != branches_.end() && found->node == node, "the router is part of the tree");
    return *found;
}

}  // namespace pimdse::sim::noc
