#pragma once

#include "models/cim_mesh/layer/program.hpp"
#include "models/cim_mesh/layer/stage_counter.hpp"
#include "models/cim_mesh/placement/flow.hpp"
#include "sim/base/memo.hpp"
#include "sim/base/recent.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace pimdse::models::cim_mesh {

/// What the stages with the cache depend on.
struct AppendKey {
    std::int64_t place = 0;
    auto operator<=>(AppendKey const&) const = default;
};
struct HoldersKey {
    std::int64_t count = 0;
    auto operator<=>(HoldersKey const&) const = default;
};
struct NoKey {
    auto operator<=>(NoKey const&) const = default;
};
struct CacheKey {
    std::int64_t place = 0, holders = 0;
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

/// Vectors of a token.
struct VectorLoads {
    std::int64_t busiest_link = 0;
    std::int64_t busiest_router = 0;  ///< that enter it, from its links and its own
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

/// A layer on the mesh and what is counted on it, as far as its key tells. What depends on the context, too, is
/// remembered as often as there are places in the cache.
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
    [[nodiscard]] StageShape const& append(std::int64_t context) const;
    [[nodiscard]] HolderShapes const& holders(std::int64_t context) const;
    /// Of append: the queries on their way to their hub alone, and how far keys and values go.
    [[nodiscard]] StageShape const& query_gather() const;
    [[nodiscard]] Reach append_reach(std::int64_t context) const;
    /// From the hub of the queries to those that hold keys.
    [[nodiscard]] Reach query_reach(std::int64_t context) const {
        return query_reach_[static_cast<std::size_t>(program_->holder_count(context))];
    }
    [[nodiscard]] VectorLoads loads(std::int64_t context) const;

    /// Ways that hide under no chain, in hops.
    [[nodiscard]] double fill() const { return fill_; }
    /// By holders: mean length from the queries to those that hold keys.
    [[nodiscard]] std::span<double const> key_ways() const { return key_ways_; }
    /// Borders of the sums one token waits for, `at_once` columns together.
    [[nodiscard]] double chain_borders(std::int64_t at_once) const;
    /// Bytes times distance over the edges of the data flow.
    [[nodiscard]] double byte_hops(Schedule schedule) const;

    /// Routers: what its memory grows with.
    [[nodiscard]] std::size_t weight() const { return static_cast<std::size_t>(placement_.mesh.nodes()) + 1; }

  private:
    struct Place {
        std::int32_t row = 0, col = 0, tile = 0;
        [[nodiscard]] Reach to(Place const& other) const;
    };

    void count_fixed();
    void measure_cache();
    [[nodiscard]] HolderShapes count_holders(std::int64_t count, VectorCounts* counts) const;
    [[nodiscard]] Place place_of(sim::noc::Node node) const;

    MachineConstants const& machine_;
    LayerKey key_;
    Placement placement_;
    Ruler ruler_;
    std::optional<TreeProgram> program_;
    std::vector<StageShape> fixed_;
    VectorCounts counts_;  // of the fixed stages
    double fill_ = 0.0;
    std::vector<double> key_ways_;
    std::vector<Place> cache_places_, key_roots_;  // where keys may lie; where keys and values come from
    std::vector<Reach> query_reach_;               // by holders
    sim::Memo<AppendKey, StageShape> appends_;
    sim::Memo<NoKey, StageShape> query_gather_;
    sim::Memo<HoldersKey, HolderShapes> holders_;
    sim::Memo<CacheKey, VectorLoads> loads_;
    sim::Memo<SumsKey, double> chain_borders_;
    sim::Memo<FlowKey, double> byte_hops_;
};

/// The layers used last, all threads together: of as many routers as fit some 100 MB.
class PlacedLayers {
  public:
    [[nodiscard]] std::shared_ptr<PlacedLayer const> get(MachineConstants const& machine, LayerKey const& key) const;

  private:
    static constexpr std::size_t most_routers = 1 << 20;
    sim::Recent<LayerKey, PlacedLayer> layers_{most_routers};
};

}  // namespace pimdse::models::cim_mesh
