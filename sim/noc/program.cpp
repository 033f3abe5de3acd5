#include "sim/noc/program.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <algorithm>
#include <string_view>

namespace pimdse::sim::noc {
namespace {

/// "3" or "3-7", in this direction.
std::string range(std::int32_t first, std::int32_t last) {
    return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

/// A list of nodes that keeps its order: straight runs along a column or a row.
std::string path_text(Mesh mesh, std::vector<Node> const& path) {
    std::string text;
    for (std::size_t first = 0; first < path.size();) {
        std::size_t last = std::min(first + 1, path.size() - 1);
        auto const step = path[last] - path[first];
        while (last + 1 < path.size() && path[last + 1] - path[last] == step &&
               mesh.distance(path[first], path[last + 1]) == static_cast<std::int32_t>(last + 1 - first))
            ++last;
        text += fmt::format(" {},{}", range(mesh.row(path[first]), mesh.row(path[last])),
                            range(mesh.col(path[first]), mesh.col(path[last])));
        first = last + 1;
    }
    return text;
}

/// A set of nodes: rectangles of equal runs in consecutive rows.
std::string set_text(Mesh mesh, std::vector<Node> nodes) {
    struct Rectangle {
        std::int32_t top, bottom, left, right;
    };
    std::sort(nodes.begin(), nodes.end());
    std::vector<Rectangle> rectangles;
    for (std::size_t i = 0; i < nodes.size();) {
        std::int32_t const row = mesh.row(nodes[i]), left = mesh.col(nodes[i]);
        std::int32_t right = left;
        for (++i; i < nodes.size() && nodes[i] == mesh.at(row, right + 1) && right + 1 < mesh.cols; ++i) ++right;
        auto const above = std::find_if(rectangles.begin(), rectangles.end(), [&](Rectangle const& r) {
            return r.bottom + 1 == row && r.left == left && r.right == right;
        });
        if (above == rectangles.end())
            rectangles.push_back({row, row, left, right});
        else
            above->bottom = row;
    }
    std::string text;
    for (auto const& r : rectangles) text += fmt::format(" {},{}", range(r.top, r.bottom), range(r.left, r.right));
    return text;
}

std::vector<Node> members_of(Tree const& tree) {
    std::vector<Node> members;
    for (auto const& branch : tree.branches()) {
        if (branch.member) members.push_back(branch.node);
    }
    return members;
}

bool same(Tree const& a, Tree const& b) {
    auto const equal = [](Branch const& x, Branch const& y) {
        return x.node == y.node && x.parent == y.parent && x.children == y.children && x.member == y.member;
    };
    return a.root() == b.root() &&
           std::equal(a.branches().begin(), a.branches().end(), b.branches().begin(), b.branches().end(), equal);
}

/// The routers of a tree that is a path, from one end to the other.
std::vector<Node> nodes_of_path(Tree const& tree) {
    auto const descend = [&](Node node, Port port) {
        std::vector<Node> nodes;
        for (;;) {
            node = tree.neighbour(node, port);
            nodes.push_back(node);
            auto const children = tree.at(node).children;
            if (children == 0) return nodes;
            int next = 0;
            while ((children >> next & 1) == 0) ++next;
            port = static_cast<Port>(next);
        }
    };
    std::vector<std::vector<Node>> arms;
    for (int port = 0; port < ports - 1; ++port) {
        if ((tree.at(tree.root()).children >> port & 1) != 0)
            arms.push_back(descend(tree.root(), static_cast<Port>(port)));
    }
    ensures(arms.size() <= 2, "a tree that is not the union of XY routes is a path");
    std::vector<Node> nodes;
    if (!arms.empty()) nodes.assign(arms[0].rbegin(), arms[0].rend());
    nodes.push_back(tree.root());
    if (arms.size() == 2) nodes.insert(nodes.end(), arms[1].begin(), arms[1].end());
    return nodes;
}

std::string node_text(Mesh mesh, Node node) { return fmt::format("{},{}", mesh.row(node), mesh.col(node)); }

/// "ROOT from NODES", or "ROOT along PATH" if the tree is not the union of XY routes.
std::string tree_text(Mesh mesh, Tree const& tree, std::string_view joint) {
    auto const members = members_of(tree);
    if (same(tree, Tree::xy(mesh, tree.root(), members)))
        return fmt::format("{} {}{}", node_text(mesh, tree.root()), joint, set_text(mesh, members));
    return fmt::format("{} along{}", node_text(mesh, tree.root()), path_text(mesh, nodes_of_path(tree)));
}

std::string text_of(Mesh mesh, PhaseMessage const& message) {
    if (auto const* m = std::get_if<Unicast>(&message))
        return fmt::format("send {} {} to {}", m->flits, node_text(mesh, m->source), node_text(mesh, m->destination));
    if (auto const* m = std::get_if<Broadcast>(&message))
        return fmt::format("broadcast {} {}", m->flits, tree_text(mesh, m->tree, "to"));
    if (auto const* m = std::get_if<Reduction>(&message))
        return fmt::format("sum {} {}", m->flits, tree_text(mesh, m->tree, "from"));
    auto const& m = std::get<Chain>(message);
    return fmt::format("chain {} service {} after {} along{}", m.flits, m.service, m.hops_before,
                       path_text(mesh, m.path));
}

}  // namespace

void write_program(std::ostream& out, NetworkProgram const& program) {
    auto const& t = program.timing;
    fmt::print(out, "mesh {}x{}\nrouter fifo {} traversal {} injection {} adder {}\n", program.mesh.rows,
               program.mesh.cols, t.fifo_flits, t.traversal, t.injection, t.adder);
    for (auto const& stage : program.stages) {
        fmt::print(out, "\nstage {}\n", stage.name);
        if (stage.phase.repeats != 1) fmt::print(out, "repeat {}\n", stage.phase.repeats);
        for (auto const& message : stage.phase.messages) out << text_of(program.mesh, message) << '\n';
    }
}

std::vector<StageResult> run(NetworkProgram const& program) {
    std::vector<StageResult> results;
    for (auto const& [name, phase] : program.stages) {
        auto const result = simulate_unless_stuck(program.mesh, program.timing, phase);
        if (!result)
            throw InputError(
                fmt::format("stage '{}': its broadcasts and sums wait for each other and never end (longer "
                            "than a FIFO, and they share links). Put them in stages of their own?",
                            clipped(name)));
        results.push_back({name, *result, alone(program.mesh, program.timing, phase),
                           static_cast<std::int64_t>(phase.messages.size()) * phase.repeats});
    }
    return results;
}

}  // namespace pimdse::sim::noc
