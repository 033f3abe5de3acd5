#pragma once

#include "sim/noc/mesh.hpp"

#include <cmath>
#include <cstdint>

namespace pimdse::models::cim_mesh {

/// A mesh of compute tiles side by side, and what a border between them counts as.
struct Ruler {
    sim::noc::Mesh mesh;
    std::int64_t tile_cols;
    double border_hops;

    [[nodiscard]] double tile_of(sim::noc::Node node) const { return static_cast<double>(mesh.col(node) / tile_cols); }
    [[nodiscard]] double borders(sim::noc::Node a, sim::noc::Node b) const { return std::abs(tile_of(a) - tile_of(b)); }
    /// Length of the way between two routers.
    [[nodiscard]] double length(sim::noc::Node a, sim::noc::Node b) const {
        return static_cast<double>(mesh.distance(a, b)) + border_hops * borders(a, b);
    }
};

}  // namespace pimdse::models::cim_mesh
