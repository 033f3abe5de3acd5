#pragma once

#include "models/cim_mesh/layer/placed_layer.hpp"
#include "models/cim_mesh/layer/placement.hpp"
#include "models/cim_mesh/layer/program.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace pimdse::models::cim_mesh {

/// What is never less than here, wherever the crossbars of a layer lie (README.md, Lower bounds): no two on one router,
/// the columns of a matrix as paths, hubs on crossbars of their group. Counted from numbers of crossbars alone; genes
/// do not matter. The most is said where it is sure, too.
class LayerLowerBound {
  public:
    /// timing: its FIFO does not matter.
    LayerLowerBound(MachineConstants const& machine, LayerKey const& key);

    /// In the order of TreeProgram::fixed_stages.
    [[nodiscard]] std::vector<StageShape> const& fixed() const { return fixed_; }
    [[nodiscard]] StageShape const& append() const { return append_; }
    [[nodiscard]] StageShape query(std::int64_t context) const;
    [[nodiscard]] StageShape sum(std::int64_t context) const;

    /// Routers that may hold keys, and how many do.
    [[nodiscard]] std::int64_t max_owners() const { return pool_; }
    [[nodiscard]] std::int64_t owners(std::int64_t context) const;
    [[nodiscard]] std::int64_t keys_per_router(std::int64_t context) const;
    /// The first context at which every router of the pool holds keys.
    [[nodiscard]] std::int64_t filling_context() const;

    /// Hops of the ways that hide under no chain.
    [[nodiscard]] double fill() const;
    /// Vectors of a token that enter some router, and that some link carries.
    [[nodiscard]] std::int64_t busiest_router(std::int64_t context) const;
    [[nodiscard]] std::int64_t busiest_link(std::int64_t context) const;
    /// No link carries more.
    [[nodiscard]] std::int64_t max_on_a_link() const;
    /// Mesh columns with a crossbar.
    [[nodiscard]] std::int64_t min_columns() const;
    [[nodiscard]] std::int64_t max_columns() const;

  private:
    /// Crossbars that a token uses, and where sums of theirs arrive.
    struct Matrix {
        std::int64_t tiles = 0, roots = 0, rows = 0;
        Matrix& operator+=(Matrix const& other);
    };
    [[nodiscard]] Matrix named(std::string_view name) const;
    void add_fixed();

    [[nodiscard]] StageShape gather(std::int64_t senders, bool from_the_hub) const;
    [[nodiscard]] StageShape broadcast(std::int64_t routers, std::int64_t vectors) const;
    [[nodiscard]] StageShape reduction(Matrix const& group) const;
    [[nodiscard]] std::int64_t farthest(std::int64_t routers) const;
    [[nodiscard]] std::int64_t into_hub(std::int64_t senders) const;

    LayerKey const* key_;
    double border_hops_;
    sim::noc::RouterTiming timing_;
    CacheRing cache_;
    Matrix q_, k_, v_, o_, gate_, up_, down_;
    Matrix qkv_, wide_;  // groups: q, k, v; gate and up
    std::int64_t stored_ = 0, pool_ = 0;
    std::vector<StageShape> fixed_;
    StageShape append_;
};

/// What a token meets on the placed layer: counted, none of it fitted. Lengths are in hops; a border between compute
/// tiles counts as `border_hops` of them.
struct MeshCounts {
    double chain_borders = 0.0;   ///< crossed by the partial sums one token waits for, in hops
    double fill = 0.0;            ///< length of the ways that hide under no chain: last sum to hub, hub to farthest
    double fill_legs = 0.0;       ///< how many ways those are
    double walk_back = 0.0;       ///< from the last layer of the serpentine to the first, once a token
    double busiest_router = 0.0;  ///< vectors of a prompt's token that enter the busiest router, keys everywhere
    double busiest_link = 0.0;    ///< flits of a decoded token on the busiest link, at the mean context
    double prompt_link = 0.0;     ///< flits of a prompt's token on its busiest link
    std::int64_t max_owners = 0;  ///< routers that may hold keys
    std::int64_t mesh_rows = 1;
    PlacedLayer const* layer = nullptr;  ///< of the ways to keys; of none: the least of all

    /// Mean way from the queries to so many routers that hold keys, hops.
    [[nodiscard]] double key_route(std::int64_t owners) const;
};

/// Refers to the layer as long as it lives.
[[nodiscard]] MeshCounts count_mesh(MachineConstants const& machine, Design const& design, Partition const& partition,
                                    PlacedLayer const& layer);
/// Nothing is less wherever the layer lies.
[[nodiscard]] MeshCounts min_counts(MachineConstants const& machine, Design const& design, Partition const& partition,
                                    LayerLowerBound const& layer);

/// How near to one router so many different ones can be, itself among them: the hops to the farthest and to all of them
/// together. No way of laying them is nearer, on a mesh of any width.
struct NearestNodesBound {
    std::int64_t farthest = 0, together = 0;
};

/// rows: of the mesh; routers: at least 1. Time grows with the rows.
[[nodiscard]] NearestNodesBound nearest_nodes_bound(std::int64_t rows, std::int64_t routers);

}  // namespace pimdse::models::cim_mesh
