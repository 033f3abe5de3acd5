#pragma once

#include "sim/noc/network_state.hpp"

#include <algorithm>
#include <span>

namespace pimdse::sim::noc::test {

/// True if every branch has the link of its parent back to it, all branches are connected to the root without a cycle,
/// and every member is included.
inline bool is_spanning_tree(Mesh mesh, Tree const& tree, std::span<Node const> members) {
    auto const branches = tree.branches();
    auto const find = [&](Node node) {
        auto const at = std::lower_bound(branches.begin(), branches.end(), node,
                                         [](Branch const& b, Node n) { return b.node < n; });
        return at != branches.end() && at->node == node ? &*at : nullptr;
    };
    for (auto const& branch : branches) {
        Branch const* at = &branch;
        std::size_t steps = 0;
        while (at->node != tree.root()) {
            if (at->parent == Port::local || !mesh.has_link(at->node, at->parent) || ++steps > branches.size())
                return false;
            auto const* up = find(mesh.neighbour(at->node, at->parent));
            if (up == nullptr || (up->children & bit(opposite(at->parent))) == 0) return false;
            at = up;
        }
    }
    return std::all_of(members.begin(), members.end(),
                       [&](Node node) { return find(node) != nullptr && find(node)->member; });
}

}  // namespace pimdse::sim::noc::test
