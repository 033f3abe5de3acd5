#pragma once

#include "sim/noc/mesh.hpp"

#include <span>
#include <vector>

namespace pimdse::sim::noc {

/// One router of a tree.
struct Branch {
    Node node = 0;
    std::uint8_t children = 0;  ///< ports that lead to children, as bits
    Port parent = Port::local;  ///< port that leads to the parent; local at the root
    bool member = false;        ///< receives (broadcast) or contributes (reduction); others only pass on
};

/// A tree of mesh links for a broadcast (away from the root) or a reduction (towards it).
class Tree {
  public:
    /// The union of the XY routes from the root to every member: column-wise branches off one row.
    static Tree xy(Mesh mesh, Node root, std::span<Node const> members);
    /// A path of neighbouring routers, all members, with its root at `root_at` of the path. Throws ContractViolation if
    /// two that follow each other are no neighbours or a router stands twice.
    static Tree path(Mesh mesh, std::span<Node const> path, std::size_t root_at);

    [[nodiscard]] Node root() const { return root_; }
    [[nodiscard]] std::span<Branch const> branches() const { return branches_; }  ///< sorted by node
    [[nodiscard]] Branch const& at(Node node) const;
    [[nodiscard]] int depth() const { return depth_; }
    [[nodiscard]] int members() const { return members_; }
    /// Ports the message leaves by at a router in a broadcast: children, and local at a member.
    [[nodiscard]] static std::uint8_t copies(Branch const& branch) {
        return static_cast<std::uint8_t>(branch.children | (branch.member ? bit(Port::local) : 0));
    }
    [[nodiscard]] Node neighbour(Node node, Port port) const { return mesh_.neighbour(node, port); }

  private:
    Mesh mesh_;
    Node root_ = 0;
    int depth_ = 0;
    int members_ = 0;
    std::vector<Branch> branches_;
};

}  // namespace pimdse::sim::noc
