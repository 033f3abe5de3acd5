#pragma once

#include "sim/noc/phase.hpp"

#include <cstdint>
#include <variant>
#include <vector>

namespace pimdse::sim::noc {

/// Directed links that a message uses, by port_index of the output; includes local outputs and, numbered after all
/// outputs, injection links.
inline std::vector<std::int32_t> links_of(Mesh mesh, PhaseMessage const& message) {
    std::vector<std::int32_t> links;
    std::int32_t const injections = mesh.nodes() * ports;
    if (auto const* one = std::get_if<Unicast>(&message)) {
        links.push_back(injections + one->source);
        Node at = one->source;
        for (; at != one->destination; at = mesh.neighbour(at, mesh.towards(at, one->destination)))
            links.push_back(port_index(at, mesh.towards(at, one->destination)));
        links.push_back(port_index(at, Port::local));
    }
    if (auto const* all = std::get_if<Broadcast>(&message)) {
        links.push_back(injections + all->tree.root());
        for (auto const& branch : all->tree.branches()) {
            for (int port = 0; port < ports; ++port) {
                if ((Tree::copies(branch) >> port & 1) != 0) links.push_back(branch.node * ports + port);
            }
        }
    }
    if (auto const* sum = std::get_if<Reduction>(&message)) {
        for (auto const& branch : sum->tree.branches()) {
            links.push_back(port_index(branch.node, branch.parent));
            if (branch.member) links.push_back(injections + branch.node);
        }
    }
    if (auto const* chain = std::get_if<Chain>(&message)) {
        for (std::size_t i = 1; i < chain->path.size(); ++i)
            links.push_back(port_index(chain->path[i - 1], mesh.towards(chain->path[i - 1], chain->path[i])));
    }
    return links;
}

}  // namespace pimdse::sim::noc
