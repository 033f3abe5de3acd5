#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/cim_mesh/layer/search.hpp"
#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/parameters.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {

/// Everything a design answers, in SI.
struct Result {
    LayerTime layer;
    RequestTime time;
    RequestTime ideal;  ///< under tree collectives
    BatchWork work;
    UnitPower units;                ///< does not apply without later passes
    std::vector<RowEnergy> energy;  ///< along the ledger
    sim::Bounded power;
    sim::Bounded prefill_power, decode_power, peak_power;  ///< decode_power does not apply without later passes
    sim::Bounded package_power;  ///< of one compute tile of a layer, a die that keeps weights and keys
    MacroArea tile;
    sim::Bounded static_power;  ///< as PRIMAL's table counts
    sim::Bounded idle_power;
    sim::Bounded paper_power;  ///< of the macros the paper counts
    double value_bits = 0.0;
    double adapter_bytes = 0.0;
    sim::Bounded activity_energy;
    sim::Bounded saving;
    double kv_headroom = 1.0;
    sim::Bounded busiest_link;  ///< flits
    sim::Bounded prompt_load;   ///< share of the busiest link's saturated throughput that the prompt's tokens ask for
    double prompt_link = 0.0;   ///< flits of one of them on that link
    double prompt_pace = 0.0;   ///< cycles from one to the next
    double adapter_weights = 0.0;
    sim::Bounded placement_gain;
};

/// What was found for earlier points, for all threads.
struct Memory {
    PlacedLayers layers;
    sim::Memo<SearchKey, FoundPlacement> searches;
};

/// Where a layer's crossbars lie, and what a search gained over packing. An open floor is one that nobody has searched
/// yet: its layer is the packed one, and only what holds of every other is sure.
struct Floor {
    Genes genes;
    sim::Bounded gain;
    bool open = false;
    std::shared_ptr<PlacedLayer const> layer;
};
/// `placement = searched` is searched at cycle level alone.
[[nodiscard]] Floor layout(MachineConstants const& machine, Memory const& memory, Design const& design,
                           Partition const& partition, Fidelity fidelity);

[[nodiscard]] Result result(MachineConstants const& machine, Design const& design, Partition const& partition,
                            Floor const& layout, Fidelity fidelity);

/// What `f` makes of a number that is sure or lies between two, where it only grows with it or only shrinks.
template <class F>
[[nodiscard]] sim::Bounded over(sim::Bounded const& number, F const& f) {
    if (number.is_exact()) return f(number.value);
    double const lower = f(number.lower), upper = f(number.upper);
    auto const kinds = lower <= upper ? number.kinds : number.kinds.swapped();
    return {f(number.value), std::min(lower, upper), std::max(lower, upper), kinds};
}

/// What is known of the packed layer, where the layer may lie in any other way: none is less than `least`, which is
/// proved; the rest is calibrated.
[[nodiscard]] sim::Bounded opened(MachineConstants::Allowances const& allowed, sim::Bounded const& packed, double min);
/// The same part by part.
[[nodiscard]] LayerTime opened(MachineConstants::Allowances const& allowed, LayerTime const& packed,
                               LayerTime const& min);

/// What stays fixed while points vary, and what was found for them. Made once, shared by all threads.
struct Prepared {
    MachineConstants machine;
    Bindings bindings;
    Memory memory;
};

[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options);

}  // namespace pimdse::models::cim_mesh
