#pragma once

#include "models/cim_mesh/layer/flow.hpp"
#include "models/cim_mesh/layer/program.hpp"
#include "models/cim_mesh/layer/stage_counter.hpp"
#include "models/cim_mesh/layer/token_loads.hpp"
#include "sim/base/memo.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace pimdse::models::cim_mesh {

/// What the stages with the cache depend on.
struct HoldersKey {
    std::int64_t count = 0;
    auto operator<=>(HoldersKey const&) const = default;
};
struct NoKey {
    auto operator<=>(NoKey const&) const = default;
};
struct CacheKey {
    std::int64_t place = 0, owners = 0;
    auto operator<=>(CacheKey const&) const = default;
};
struct SumsKey {
    std::int64_t at_once = 1;
    auto operator<=>(SumsKey const&) const = default;
};
struct FlowKey {
    Schedule schedule = Schedule::serial;
    auto operator<=>(FlowKey const&) const = default;
};

/// How far the farthest of some messages goes, and over how many borders between compute tiles at most.
struct Reach {
    std::int32_t hops = 0, borders = 0;

    void add(std::int32_t more_hops, std::int32_t more_borders) {
        hops = std::max(hops, more_hops);
        borders = std::max(borders, more_borders);
    }
};

/// The query to all that hold keys, and the sum back.
struct HolderShapes {
    StageShape query, sum;
};
/// From the hub of the queries to those that hold keys.
struct HolderRoutes {
    double mean = 0.0;  ///< length
    Reach reach;
};

/// A layer on the mesh and what is counted on it, as far as its key tells, by output columns and not by routers. What
/// depends on the context, too, is remembered as often as there are places in the cache.
class PlacedLayer {
  public:
    PlacedLayer(MachineConstants const& machine, LayerKey key);
    PlacedLayer(PlacedLayer const&) = delete;
    PlacedLayer& operator=(PlacedLayer const&) = delete;

    /// Whether there is room; if there is none, nothing else may be asked.
    [[nodiscard]] bool fits() const { return program_.has_value(); }
    [[nodiscard]] Placement const& placement() const { return placement_; }
    [[nodiscard]] TreeProgram const& program() const { return *program_; }  ///< of one flit a vector
    [[nodiscard]] Ruler const& ruler() const { return ruler_; }

    [[nodiscard]] std::span<StageShape const> fixed() const { return fixed_; }
    [[nodiscard]] HolderShapes const& owners(std::int64_t context) const;
    /// The queries on their way to their hub.
    [[nodiscard]] StageShape const& query_gather() const;
    [[nodiscard]] Reach query_reach(std::int64_t context) const {
        return holder_routes(program_->holder_count(context)).reach;
    }
    /// The farthest place of the cache from where keys and values come from, of those that so many tokens fill.
    [[nodiscard]] Reach key_reach(std::int64_t context) const;
    /// Of a token at this context; of every token of a prompt, without keys and values on their way: each token's go to
    /// other places.
    [[nodiscard]] VectorLoads loads(std::int64_t context) const;
    [[nodiscard]] VectorLoads prompt_loads(std::int64_t tokens) const;

    /// Ways that hide under no chain, in hops.
    [[nodiscard]] double fill() const { return fill_; }
    /// Routers that hold keys when there are enough of them; the mean length from the queries to the first `owners`.
    [[nodiscard]] std::int64_t max_owners() const { return program_->owners().size(); }
    [[nodiscard]] double key_route(std::int64_t owners) const { return holder_routes(owners).mean; }
    /// Borders of the sums one token waits for, `at_once` columns together.
    [[nodiscard]] double chain_borders(std::int64_t at_once) const;
    /// Bytes times distance over the edges of the data flow.
    [[nodiscard]] double byte_hops(Schedule schedule) const;

    /// Of its memory, in output columns: those it has, and what a layer takes without any.
    [[nodiscard]] std::size_t weight() const { return placement_.columns.size() + columns_of_a_layer; }

  private:
    void count_fixed();
    [[nodiscard]] HolderRoutes const& holder_routes(std::int64_t count) const;
    [[nodiscard]] HolderRoutes measure_holders(std::int64_t count) const;
    [[nodiscard]] Reach measure_keys(std::int64_t count) const;
    [[nodiscard]] HolderShapes count_holders(std::int64_t count) const;
    [[nodiscard]] std::vector<Route> append_routes(std::int64_t place) const;
    [[nodiscard]] VectorLoads count_loads(std::vector<Route> const& append, std::int64_t owners) const;

    static constexpr std::size_t columns_of_a_layer = 400;

    MachineConstants const& machine_;
    LayerKey key_;
    Placement placement_;
    Ruler ruler_;
    std::optional<TreeProgram> program_;
    std::vector<StageShape> fixed_;
    ColumnSums sums_;
    TokenTraffic traffic_;  // of the fixed stages
    double fill_ = 0.0;
    std::vector<Route> queries_;     // gathered
    std::vector<Router> key_roots_;  // where keys and values come from
    sim::Memo<NoKey, StageShape> query_gather_;
    sim::Memo<HoldersKey, HolderShapes> holders_;
    sim::Memo<HoldersKey, HolderRoutes> holder_routes_;
    sim::Memo<HoldersKey, Reach> key_reach_;
    sim::Memo<CacheKey, VectorLoads> loads_;
    sim::Memo<HoldersKey, VectorLoads> prompt_loads_;
    sim::Memo<SumsKey, double> chain_borders_;
    sim::Memo<FlowKey, double> byte_hops_;
};

/// The layers used last, all threads together: of as many output columns as fit some 100 MB.
class PlacedLayers {
  public:
    [[nodiscard]] std::shared_ptr<PlacedLayer const> get(MachineConstants const& machine, LayerKey const& key) const;

  private:
    static constexpr std::size_t max_columns = 1 << 20;
    sim::LruCache<LayerKey, PlacedLayer> layers_{max_columns};
};

}  // namespace pimdse::models::cim_mesh
