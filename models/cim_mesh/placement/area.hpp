#pragma once

#include "models/cim_mesh/placement/serpentine.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Routers as rectangles that do not overlap: few, where output columns that are added one after another are
/// neighbours.
class Area {
  public:
    void add(Rectangle const& more);
    void add(Serpentine const& stretch) {
        stretch.rectangles([&](Rectangle const& part) { add(part); });
    }

    [[nodiscard]] std::span<Rectangle const> rectangles() const { return rectangles_; }
    [[nodiscard]] bool empty() const { return rectangles_.empty(); }
    [[nodiscard]] std::int64_t routers() const;
    [[nodiscard]] RouterSum sum() const;
    /// Mesh columns that hold any of them.
    [[nodiscard]] std::int64_t columns() const;
    /// Hops to the nearest of them; there is one.
    [[nodiscard]] std::int32_t distance(Router from) const;

  private:
    std::vector<Rectangle> rectangles_;
};

[[nodiscard]] std::int32_t hops_between(Router a, Router b);
/// To the nearest router, and to the farthest.
[[nodiscard]] std::int32_t least_hops(Router from, Rectangle const& to);
[[nodiscard]] std::int32_t least_hops(Router from, Serpentine const& to);
[[nodiscard]] std::int32_t most_hops(Router from, Rectangle const& to);

}  // namespace pimdse::models::cim_mesh
