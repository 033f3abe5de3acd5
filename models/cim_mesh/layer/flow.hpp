#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/laying.hpp"
#include "models/cim_mesh/layer/placement.hpp"

#include <array>
#include <vector>

namespace pimdse::models::cim_mesh {

/// A position on the mesh, possibly between routers.
struct RouterPosition {
    double row = 0.0, col = 0.0;
};

/// Centroids of the crossbars of a matrix and, by CrossbarOrder, of the routers at which its sums end, over all copies.
struct Middles {
    RouterPosition tiles;
    std::array<RouterPosition, 3> sums;
    double columns = 0.0;
};

class LaidMatrix;

/// The properties of a placed layer on which its cost depends.
struct LaidLayer {
    std::array<Middles, 7> matrices;  ///< q, k, v, o, gate, up, down
    RouterSum pool;                   ///< routers that may hold keys
    std::int64_t pool_routers = 0;
};

/// The cost of a layer in bytes times distance over the edges of its data flow, between the centroids of sources and
/// destinations: x to q, k, v; their sums to keys and values; attention to o; o to gate and up; their product to down;
/// down to x of the next layer.
class Flow {
  public:
    /// Keeps a reference to `key`, whose genes do not matter.
    Flow(MachineConstants const& machine, LayerKey const& key, Schedule schedule);

    /// Places the output columns of a layer without listing routers; false if they do not fit. The directions in
    /// `genes` do not matter.
    [[nodiscard]] bool lay_out(Genes const& genes, LaidLayer& laid) const;
    /// Places one more matrix on the shelves, in rectangles of this height; false if it does not fit.
    [[nodiscard]] bool lay_rectangles(std::size_t which, std::int64_t height, Shelves& shelves, LaidLayer& laid) const;

    /// The cost with these directions of columns, by matrix.
    [[nodiscard]] double byte_hops(LaidLayer const& laid, std::vector<CrossbarOrder> const& directions) const;
    /// Lower bound of the cost for all directions of q, k, v, o with normal ones of the others: the shortest routes of
    /// all edges, added in the same order.
    [[nodiscard]] double min_byte_hops(LaidLayer const& laid) const;

  private:
    void add(LaidLayer& laid, std::size_t which, LaidMatrix const& matrix) const;
    template <class Route>
    [[nodiscard]] double add_up(LaidLayer const& laid, Route const& route) const;

    LayerKey const& key_;
    double vector_bytes_;
    bool serial_, colocated_, gated_ = false;
    std::vector<std::size_t> roles_;  // by matrix: its index among q, k, v, o, gate, up, down
    std::vector<bool> holds_cache_;
};

}  // namespace pimdse::models::cim_mesh
