#pragma once

#include "models/cim_mesh/placement/area.hpp"
#include "sim/noc/mesh.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace pimdse::models::cim_mesh {

/// A mesh of compute tiles side by side, and what a border between them counts as.
struct Ruler {
    sim::noc::Mesh mesh;
    std::int64_t tile_cols;
    double border_hops;

    [[nodiscard]] double tile_of(sim::noc::Node node) const { return static_cast<double>(mesh.col(node) / tile_cols); }
    [[nodiscard]] double borders(sim::noc::Node a, sim::noc::Node b) const { return std::abs(tile_of(a) - tile_of(b)); }
    [[nodiscard]] std::int32_t tile(std::int32_t col) const { return col / static_cast<std::int32_t>(tile_cols); }
    /// Borders between two mesh columns.
    [[nodiscard]] std::int32_t crossed(std::int32_t a, std::int32_t b) const { return std::abs(tile(a) - tile(b)); }
    /// Length of the way between two routers.
    [[nodiscard]] double length(Router a, Router b) const {
        return static_cast<double>(hops_between(a, b)) + border_hops * crossed(a.col, b.col);
    }
};

}  // namespace pimdse::models::cim_mesh
