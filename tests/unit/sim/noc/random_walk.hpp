// Random numbers and paths of routers for tests, by seed.
#pragma once

#include "sim/noc/open_loop.hpp"

#include <cstdint>
#include <set>
#include <vector>

namespace pimdse::sim::noc::test {

inline std::uint64_t draw(std::uint64_t seed, std::uint64_t what, std::uint64_t below) {
    return hashed(seed, what) % below;
}

/// A self-avoiding walk of at most `length` routers.
inline std::vector<Node> random_walk(Mesh mesh, std::uint64_t seed, std::size_t length) {
    std::vector<Node> path{static_cast<Node>(draw(seed, 0, static_cast<std::uint64_t>(mesh.nodes())))};
    std::set<Node> seen{path[0]};
    for (std::uint64_t i = 1; path.size() < length && i < 200; ++i) {
        auto const port = static_cast<Port>(draw(seed, i, 4));
        if (!mesh.has_link(path.back(), port)) continue;
        Node const next = mesh.neighbour(path.back(), port);
        if (seen.insert(next).second) path.push_back(next);
    }
    return path;
}

}  // namespace pimdse::sim::noc::test
