#pragma once

#include "models/cim_mesh/layer/placed_layer.hpp"
#include "models/cim_mesh/layer/placement.hpp"
#include "models/cim_mesh/layer/program.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Lower bounds of the counts of a layer for every placement (README.md, Lower bounds), from the numbers of crossbars
/// alone: no two crossbars share a router, the columns of a matrix are paths, hubs are crossbars of their group. The
/// genes of the key do not matter. max_...() are proved upper bounds.
class LayerLowerBound {
  public:
    LayerLowerBound(MachineConstants const& machine, LayerKey const& key);

    /// In the order of TreeProgram::fixed_stages.
    [[nodiscard]] std::vector<StageShape> const& fixed() const { return fixed_; }
    [[nodiscard]] StageShape const& append() const { return append_; }
    [[nodiscard]] StageShape query(std::int64_t context) const;
    [[nodiscard]] StageShape sum(std::int64_t context) const;

    /// Number of routers that may hold keys, and of those that hold keys at a context.
    [[nodiscard]] std::int64_t max_owners() const { return pool_; }
    [[nodiscard]] std::int64_t owners(std::int64_t context) const;
    [[nodiscard]] std::int64_t keys_per_router(std::int64_t context) const;
    /// The first context at which every router of the pool holds keys.
    [[nodiscard]] std::int64_t filling_context() const;

    /// Hops of the routes that no chain hides, and without borders.
    [[nodiscard]] double fill() const { return border_hops_ + fill_links(); }
    [[nodiscard]] double fill_links() const;
    /// Vectors of a token that enter the busiest router, and on the busiest link.
    [[nodiscard]] std::int64_t busiest_router(std::int64_t context) const;
    [[nodiscard]] std::int64_t busiest_link(std::int64_t context) const;
    /// Upper bound of the vectors of a token on any link.
    [[nodiscard]] std::int64_t max_on_a_link() const;
    /// Bounds of the number of mesh columns with a crossbar.
    [[nodiscard]] std::int64_t min_columns() const;
    [[nodiscard]] std::int64_t max_columns() const;

  private:
    /// Numbers of crossbars that a token uses and of routers at which their sums arrive, and the rows of the matrix.
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

/// Counts of a token on the placed layer, none of them fitted. Lengths are in hops, for times; a border between
/// compute tiles counts as `border_hops` hops. Energy is that of links between routers, and of borders.
struct MeshCounts {
    double chain_borders = 0.0;  ///< borders crossed by the partial sums of a token, in hops
    double fill = 0.0;        ///< length of the routes that no chain hides: last sum to hub, hub to farthest crossbar
    double fill_legs = 0.0;   ///< number of these routes
    double fill_links = 0.0;  ///< their links between routers, without borders
    double walk_back = 0.0;   ///< route from the last layer of the serpentine to the first, once per token
    double busiest_router = 0.0;  ///< vectors of a token of a prompt into the busiest router, with keys on all routers
    double busiest_link = 0.0;    ///< flits of a decoded token on the busiest link, at the mean context
    double prompt_link = 0.0;     ///< flits of a token of a prompt on its busiest link
    double crossings = 0.0;       ///< vectors x borders of a token, without keys; lower bound 0
    std::int64_t max_owners = 0;  ///< routers that may hold keys
    std::int64_t mesh_rows = 1;
    PlacedLayer const* layer = nullptr;  ///< determines the routes to keys; null: lower bounds for every placement

    /// From the queries to `owners` routers that hold keys; lower bounds have no borders.
    [[nodiscard]] HolderRoutes holder_routes(std::int64_t owners) const;
};

/// The result refers to `layer`, which must outlive it.
[[nodiscard]] MeshCounts count_mesh(MachineConstants const& machine, Design const& design, Partition const& partition,
                                    PlacedLayer const& layer);
/// Lower bounds of the counts for every placement.
[[nodiscard]] MeshCounts min_counts(MachineConstants const& machine, Design const& design, Partition const& partition,
                                    LayerLowerBound const& layer);

/// Lower bounds of the hops from one router to a number of different routers including itself, on a mesh of any width:
/// to the farthest of them, and the sum over all of them.
struct NearestNodesBound {
    std::int64_t farthest = 0, together = 0;
};

/// `rows`: rows of the mesh; `routers`: at least 1. The running time is proportional to `rows`.
[[nodiscard]] NearestNodesBound nearest_nodes_bound(std::int64_t rows, std::int64_t routers);

}  // namespace pimdse::models::cim_mesh
