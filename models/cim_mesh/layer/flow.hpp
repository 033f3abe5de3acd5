#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/area.hpp"
#include "models/cim_mesh/layer/laying.hpp"
#include "models/cim_mesh/layer/placement.hpp"

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

class LaidMatrix;

/// A layer as far as its cost needs it.
struct LaidLayer {
    std::array<Middles, 7> matrices;  ///< q, k, v, o, gate, up, down
    RouterSum pool;                   ///< routers that may hold keys
    std::int64_t pool_routers = 0;
};

/// The edges of a layer's data flow and what they cost in bytes times distance, between the middles of what is sent and
/// where it goes: x to q, k, v; their sums to keys and values; attention to o; o to gate and up; their product to down;
/// down to the next layer's x.
class Flow {
  public:
    /// Refers to the key as long as it lives; its genes do not matter.
    Flow(MachineConstants const& machine, LayerKey const& key, Schedule schedule);

    /// Lays a layer's columns by their numbers, without its routers; false where they do not fit. Directions do not
    /// matter.
    [[nodiscard]] bool lay_out(Genes const& genes, LaidLayer& laid) const;
    /// One matrix more on the shelves, in rectangles of this height; false where it does not fit.
    [[nodiscard]] bool lay_rectangles(std::size_t which, std::int64_t height, Shelves& shelves, LaidLayer& laid) const;

    /// `directions` are what columns are turned to.
    [[nodiscard]] double byte_hops(LaidLayer const& laid, std::vector<CrossbarOrder> const& directions) const;
    /// No more than with any directions of q, k, v, o and all others normal: every edge at its shortest, added in the
    /// same order.
    [[nodiscard]] double min_byte_hops(LaidLayer const& laid) const;

  private:
    void add(LaidLayer& laid, std::size_t which, LaidMatrix const& matrix) const;
    template <class Route>
    [[nodiscard]] double add_up(LaidLayer const& laid, Route const& route) const;

    LayerKey const& key_;
    double vector_bytes_;
    bool serial_, colocated_, gated_ = false;
    std::vector<std::size_t> roles_;  // by matrix: its place among q, k, v, o, gate, up, down
    std::vector<bool> holds_cache_;
};

}  // namespace pimdse::models::cim_mesh
