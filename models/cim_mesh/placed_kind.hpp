#pragma once

#include "models/cim_mesh/events.hpp"
#include "models/cim_mesh/layer/partition.hpp"
#include "models/cim_mesh/layer/search.hpp"
#include "models/cim_mesh/layer/searched_schedule.hpp"
#include "models/contract/fidelity.hpp"
#include "models/contract/ledger.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace pimdse::models::cim_mesh {

/// The bounds of a monotone function `f` of a bounded number.
template <class F>
[[nodiscard]] sim::Bounded over(sim::Bounded const& number, F const& f) {
    if (number.is_exact()) return f(number.value);
    double const lower = f(number.lower), upper = f(number.upper);
    auto const kinds = lower <= upper ? number.kinds : number.kinds.swapped();
    return {f(number.value), std::min(lower, upper), std::max(lower, upper), kinds};
}

/// Placement of the crossbars of a layer, and the gain of a search over packing. A floor is open if its placement is
/// not yet searched: its layer is then the packed one, and only bounds that hold for every placement are proved.
struct Floor {
    Genes genes;
    sim::Bounded gain;
    bool open = false;
    std::shared_ptr<PlacedLayer const> layer;
};

/// The layers of a kind on their floor: times and events of any pass of one request. It refers to its arguments.
class PlacedKind {
  public:
    /// `spaced`: as of tree_passes.
    PlacedKind(MachineConstants const& machine, KindOnMesh const& kind, Floor const& floor, Fidelity fidelity,
               bool spaced = false);
    PlacedKind(PlacedKind const&) = delete;
    PlacedKind& operator=(PlacedKind const&) = delete;

    [[nodiscard]] Design const& design() const { return kind_.design; }
    [[nodiscard]] Partition const& partition() const { return kind_.partition; }
    [[nodiscard]] Floor const& floor() const { return floor_; }
    [[nodiscard]] MeshCounts const& counts() const { return counts_; }
    [[nodiscard]] EventEnergy const& each() const { return each_; }
    [[nodiscard]] double layers() const { return static_cast<double>(design().model->layers); }
    /// Mesh columns of a layer that are powered.
    [[nodiscard]] sim::Bounded const& columns() const { return columns_; }
    /// With the columns of the value; the power of a machine at rest, with any of them.
    [[nodiscard]] StaticPower const& power() const { return power_; }
    [[nodiscard]] sim::Bounded idle() const;

    /// The parts of a pass in one layer, its launch and the issue of its commands included. Without `held`: the queries
    /// that are held beside the keys of this request.
    [[nodiscard]] ScheduledParts parts(LayerPass const& pass) const { return parts(pass, held_); }
    [[nodiscard]] ScheduledParts parts(LayerPass const& pass, HeldQueries const& held) const;
    [[nodiscard]] sim::Bounded seconds(LayerParts const& parts) const { return sum_of(parts) / design().frequency; }

    /// Events of a pass of a step, by the schedule of the design.
    [[nodiscard]] Events events(LayerPass const& pass, HeldQueries const& held) const {
        return events_on(counts_, pass, design().schedule, held);
    }
    /// A pass of its request: its parts in one layer, and its events in all layers, without the LM head. Once cycle
    /// level knows placement and schedule, these are at least the smallest and at most the largest of the alternatives,
    /// whose routes may be longer by the factor `route`.
    struct Pass {
        struct Alternative {
            Events events;
            double route = 1.0;
        };
        LayerPass asked;
        LayerParts parts;
        std::vector<Alternative> alternatives;  ///< the first is that of the value
        [[nodiscard]] Events const& events() const { return alternatives.front().events; }
    };
    [[nodiscard]] Pass served(LayerPass pass) const;
    /// Cycles of the first pass of its request and of the mean later one with tree collectives, for comparison: of
    /// tokens, at the mean number of keys.
    struct Cycles {
        sim::Bounded first, later;
    };
    [[nodiscard]] Cycles with_trees(Pass const& first, Pass const& later) const;
    [[nodiscard]] HeldQueries const& held() const { return held_; }

    /// Load of the busiest link: flits of a decoded token; and of a prompt, as a share of its saturated throughput.
    [[nodiscard]] sim::Bounded busiest_link() const { return busiest_link_; }
    [[nodiscard]] sim::Bounded prompt_load(sim::Bounded const& prompt_cycles) const;

  private:
    /// A schedule of the design, and what its passes take on this placement and at least on any.
    struct Program {
        Design design;
        LayerPasses passes{}, least{};
    };
    [[nodiscard]] ScheduledParts parts(LayerPass const& pass, HeldQueries const& held,
                                       LayerPasses Program::*passes) const;
    [[nodiscard]] LayerParts launched(LayerPasses const& passes, Design const& design, LayerPass const& pass,
                                      HeldQueries const& held) const;
    [[nodiscard]] Events events_on(MeshCounts const& counts, LayerPass const& pass, Schedule attention,
                                   HeldQueries const& held) const;
    void set_links();
    [[nodiscard]] StaticPower power_of(double columns) const;

    MachineConstants const& machine_;
    KindOnMesh const& kind_;
    Floor const& floor_;
    MeshCounts counts_, min_counts_;  ///< the latter on an open floor
    std::optional<LayerLowerBound> lower_bound_;
    HeldQueries held_;
    EventEnergy each_;
    StaticPower power_;
    sim::Bounded columns_, busiest_link_, prompt_link_;
    bool undecided_;  ///< cycle level may find another schedule faster
    std::unique_ptr<Program> serial_, tree_;
};

}  // namespace pimdse::models::cim_mesh
