#pragma once

#include "models/cim_mesh/layer/kv_cache.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"
#include "models/cim_mesh/placement/layer_key.hpp"

#include <string_view>
#include <vector>

namespace pimdse::models::cim_mesh {

/// What is never less than here, wherever the crossbars of a layer lie (README.md, Lows): no two on one router, the
/// columns of a matrix as paths, hubs on crossbars of their group. Counted from numbers of crossbars alone; genes do
/// not matter. The most is said where it is sure, too.
class LeastLayer {
  public:
    /// timing: its FIFO does not matter.
    LeastLayer(MachineConstants const& machine, LayerKey const& key);

    /// In the order of TreeProgram::fixed_stages.
    [[nodiscard]] std::vector<StageShape> const& fixed() const { return fixed_; }
    [[nodiscard]] StageShape const& append() const { return append_; }
    [[nodiscard]] StageShape query(std::int64_t context) const;
    [[nodiscard]] StageShape sum(std::int64_t context) const;

    /// Routers that may hold keys, and how many do.
    [[nodiscard]] std::int64_t most_holders() const { return pool_; }
    [[nodiscard]] std::int64_t holders(std::int64_t context) const;
    [[nodiscard]] std::int64_t keys_per_router(std::int64_t context) const;
    /// The first context at which every router of the pool holds keys.
    [[nodiscard]] std::int64_t filling_context() const;

    /// Hops of the ways that hide under no chain.
    [[nodiscard]] double fill() const;
    /// Vectors of a token that enter some router, and that some link carries.
    [[nodiscard]] std::int64_t busiest_router(std::int64_t context) const;
    [[nodiscard]] std::int64_t busiest_link(std::int64_t context) const;
    /// No link carries more.
    [[nodiscard]] std::int64_t most_on_a_link() const;
    /// Mesh columns with a crossbar.
    [[nodiscard]] std::int64_t least_columns() const;
    [[nodiscard]] std::int64_t most_columns() const;

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

}  // namespace pimdse::models::cim_mesh
