#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/placement/layer_key.hpp"

#include <array>
#include <vector>

namespace pimdse::models::cim_mesh {

/// A point on the mesh, between routers too.
struct RouterPosition {
    double row = 0.0, col = 0.0;
};

/// Middles of a matrix's tiles and, by CrossbarOrder, of where its sums end, all copies together.
struct Middles {
    RouterPosition tiles;
    std::array<RouterPosition, 3> sums;
    double columns = 0.0;
};

/// The edges of a layer's data flow and what they cost in bytes times distance, between the middles of what is sent and
/// where it goes: x to q, k, v; their sums to keys and values; attention to o; o to gate and up; their product to down;
/// down to the next layer's x.
class Flow {
  public:
    /// Refers to the key as long as it lives; its genes do not matter.
    Flow(MachineConstants const& machine, LayerKey const& key, Schedule schedule);

    /// `laid` with all columns in the normal direction; `directions` are what they are turned to.
    [[nodiscard]] double byte_hops(std::vector<Middles> const& laid,
                                   std::vector<CrossbarOrder> const& directions) const;

    /// Also notes the middle of all routers that may hold keys.
    [[nodiscard]] std::vector<Middles> middles(Placement const& placement);

  private:
    LayerKey const& key_;
    double vector_bytes_;
    bool serial_, colocated_;
    std::vector<std::size_t> roles_;  // by matrix: its place among q, k, v, o, gate, up, down
    std::vector<bool> holds_cache_;
    RouterPosition pool_;
};

}  // namespace pimdse::models::cim_mesh
