#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/commands.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/cim_mesh/layer/partition.hpp"
#include "models/cim_mesh/layer/search.hpp"
#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/parameters.hpp"
#include "models/contract/fidelity.hpp"
#include "models/contract/request_result.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace pimdse::models::cim_mesh {

/// Result of the evaluation of a feasible design, in SI units, with the metrics that all machines have. What is said of
/// one layer is said of the first kind of layers, if there are several.
struct Result : RequestResult {
    KindOnMesh const* on = nullptr;  ///< the first kind of layers; it lives longer
    std::vector<LayerTime> layers;   ///< one of each kind
    RequestTime time;
    RequestTime ideal;  ///< with tree collectives
    BatchEnergy spent;
    MacroArea tile;
    sim::Bounded static_power;   ///< as in PRIMAL's table
    sim::Bounded ungated_power;  ///< the same without gating
    sim::Bounded paper_power;    ///< of the macros that the paper counts
    sim::Bounded saving;
    double kv_headroom = 1.0;   ///< of the fullest kind
    sim::Bounded busiest_link;  ///< flits, of the worst kind
    sim::Bounded prompt_load;   ///< load of the busiest link by a prompt, as a share of its saturated throughput
    double adapter_weights = 0.0;
    LayerCommands commands;
    double command_bytes = 0.0;
    sim::Bounded placement_gain;
    sim::Bounded cell_life;                        ///< s; does not apply unless RRAM cells are written
    double static_data = 0.0, dynamic_data = 0.0;  ///< elements of a layer's attention
};

/// Caches that all threads share.
struct Memory {
    PlacedLayers layers;
    sim::Memo<SearchKey, FoundPlacement> searches;
};

/// Placement of the crossbars of a layer, and the gain of a search over packing. A floor is open if its placement is
/// not yet searched: its layer is then the packed one, and only bounds that hold for every placement are proved.
struct Floor {
    Genes genes;
    sim::Bounded gain;
    bool open = false;
    std::shared_ptr<PlacedLayer const> layer;
};
/// The placements of the kinds of layers. `placement = searched` is searched at cycle level only.
[[nodiscard]] std::vector<Floor> layout(MachineConstants const& machine, Memory const& memory,
                                        std::vector<KindOnMesh> const& kinds, Fidelity fidelity);

/// `layouts`: one for each kind.
[[nodiscard]] Result result_of(MachineConstants const& machine, std::vector<KindOnMesh> const& kinds,
                               std::vector<Floor> const& layouts, Fidelity fidelity);

/// The bounds of a monotone function `f` of a bounded number.
template <class F>
[[nodiscard]] sim::Bounded over(sim::Bounded const& number, F const& f) {
    if (number.is_exact()) return f(number.value);
    double const lower = f(number.lower), upper = f(number.upper);
    auto const kinds = lower <= upper ? number.kinds : number.kinds.swapped();
    return {f(number.value), std::min(lower, upper), std::max(lower, upper), kinds};
}

/// Inputs that are the same for all points, and caches. Built once and shared by all threads.
struct Prepared {
    MachineConstants machine;
    Bindings bindings;
    Memory memory;
};

/// The design of a point with the values that its machine fixes.
[[nodiscard]] Design design_of(Prepared const& prepared, Point point);

/// A design with its kinds of layers and their placements, or the rule that it breaks.
struct PlacedDesign {
    std::vector<KindOnMesh> kinds;
    std::vector<Floor> layouts{};
    std::optional<Infeasible> broken{};

    [[nodiscard]] Design const& design() const { return kinds.front().design; }
    [[nodiscard]] Partition const& parts() const { return kinds.front().partition; }
    [[nodiscard]] PlacedLayer const& layer() const { return *layouts.front().layer; }
};
/// `served(design)`: the request for which a kind of layers must be feasible; by default its own.
[[nodiscard]] PlacedDesign placed(Prepared const& prepared, Design const& design, Fidelity fidelity,
                                  std::function<Design(Design)> const& served = std::identity());

[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options);

}  // namespace pimdse::models::cim_mesh
