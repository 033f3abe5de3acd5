#pragma once

#include "models/cim_mesh/layer/flow.hpp"
#include "models/cim_mesh/layer/program.hpp"
#include "models/cim_mesh/layer/token_loads.hpp"
#include "sim/base/memo.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

namespace pimdse::models::cim_mesh {

/// Timing for messages of one flit, for which the FIFO does not matter.
[[nodiscard]] sim::noc::RouterTiming one_flit_timing(MachineConstants const& machine);

/// Largest numbers of hops, and of borders between compute tiles, of some messages.
struct Reach {
    std::int32_t hops = 0, borders = 0;

    void add(std::int32_t more_hops, std::int32_t more_borders) {
        hops = std::max(hops, more_hops);
        borders = std::max(borders, more_borders);
    }
};

/// The stages of the query to all routers that hold keys, and of the sum back.
struct HolderShapes {
    StageShape query, sum;
};
/// Routes from the hub of the queries to the routers that hold keys.
struct HolderRoutes {
    double mean = 0.0;          ///< mean length, in which a border counts as some hops
    double links = 0.0;         ///< mean number of links between routers, without borders
    double borders = 0.0;       ///< mean number of borders between compute tiles
    double tree_borders = 0.0;  ///< number of borders that a tree to all of them crosses
};

/// A placed layer and its counts, which depend on the layer key only and are computed from output columns, without
/// listing routers. Counts that depend on the context as well are cached by the places of the KV cache.
class PlacedLayer {
  public:
    PlacedLayer(MachineConstants const& machine, LayerKey key);
    PlacedLayer(PlacedLayer const&) = delete;
    PlacedLayer& operator=(PlacedLayer const&) = delete;

    /// Whether the layer fits its compute tiles. This is a precondition of all other functions except weight().
    [[nodiscard]] bool fits() const { return program_.has_value(); }
    [[nodiscard]] Placement const& placement() const { return placement_; }
    [[nodiscard]] TreeProgram const& program() const { return *program_; }  ///< with vectors of one flit
    [[nodiscard]] Ruler const& ruler() const { return ruler_; }

    [[nodiscard]] std::span<StageShape const> fixed() const { return fixed_; }
    [[nodiscard]] HolderShapes const& owners(std::int64_t context) const;
    /// The stage that gathers the queries at their hub.
    [[nodiscard]] StageShape const& query_gather() const;
    /// Reach of keys and values from the routers that compute them to the places that `context` tokens fill.
    [[nodiscard]] Reach key_reach(std::int64_t context) const;
    /// Loads of a token at this context, and of every token of a prompt. The latter omit travelling keys and values,
    /// because those of each token go to other places.
    [[nodiscard]] VectorLoads loads(std::int64_t context) const;
    [[nodiscard]] VectorLoads prompt_loads(std::int64_t tokens) const;

    /// Length of the routes that no chain hides, in hops, and their links alone: a border takes time, but no router and
    /// no wire.
    [[nodiscard]] double fill() const { return fill_; }
    [[nodiscard]] double fill_links() const { return fill_links_; }
    /// Its routes in the order of a token: to the next layer, to q, k, v, to o, to the hub of gate and up, to gate and
    /// up, to the hub of down, to down.
    [[nodiscard]] std::array<double, 7> const& fill_legs() const { return fill_legs_; }
    /// Number of routers that may hold keys, and the routes from the queries to the first `owners`.
    [[nodiscard]] std::int64_t max_owners() const { return program_->owners().size(); }
    [[nodiscard]] HolderRoutes const& holder_routes(std::int64_t owners) const;
    /// Vectors of one token times borders that they cross, without keys: sums, broadcasts, gathered vectors, the way to
    /// the next layer.
    [[nodiscard]] double crossings() const { return crossings_; }
    /// Borders that the sums of one token cross, with `at_once` columns summed at the same time.
    [[nodiscard]] double chain_borders(std::int64_t at_once) const;
    /// For the fixed stages in closed form together, by flits, FIFO and delay on borders (coster.hpp).
    using CostsKey = std::tuple<std::int32_t, std::int32_t, double>;
    [[nodiscard]] sim::Memo<CostsKey, StageCost> const& closed_costs() const { return closed_costs_; }
    /// Bytes times distance over the edges of the data flow.
    [[nodiscard]] double byte_hops(Schedule schedule) const;

    /// Memory of this object in units of an output column: its columns and a constant.
    [[nodiscard]] std::size_t weight() const { return placement_.columns.size() + columns_of_a_layer; }

  private:
    void count_fixed();
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
    // Of the fixed stages: trees with their vectors, a vector per route, and columns that are summed.
    std::vector<std::pair<TreeSpans, std::int32_t>> trees_;
    std::vector<Route> routes_;
    std::vector<OutputColumn const*> sums_;
    double fill_ = 0.0, fill_links_ = 0.0;
    double crossings_ = 0.0;
    std::array<double, 7> fill_legs_{};
    std::vector<Route> queries_;     // to their hub
    std::vector<Router> key_roots_;  // routers at which keys and values are computed
    sim::Memo<std::monostate, StageShape> query_gather_;
    sim::Memo<std::int64_t, HolderShapes> holders_;  ///< this and others by the number of routers that hold keys
    sim::Memo<std::int64_t, HolderRoutes> holder_routes_;
    sim::Memo<std::int64_t, Reach> key_reach_;
    sim::Memo<std::pair<std::int64_t, std::int64_t>, VectorLoads> loads_;  ///< also by the place of a token's keys
    sim::Memo<std::int64_t, VectorLoads> prompt_loads_;
    sim::Memo<std::int64_t, double> chain_borders_;
    sim::Memo<CostsKey, StageCost> closed_costs_;
    sim::Memo<Schedule, double> byte_hops_;
};

/// Cache of the most recently used layers for all threads.
struct PlacedLayers : sim::LruCache<LayerKey, PlacedLayer> {
    PlacedLayers() : LruCache(1 << 20) {}  // output columns, which take about 100 MB
    [[nodiscard]] std::shared_ptr<PlacedLayer const> get(MachineConstants const& machine, LayerKey const& key) const;
};

}  // namespace pimdse::models::cim_mesh
