#pragma once

#include "models/cim_mesh/accounts.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/cim_mesh/search.hpp"

namespace pimdse::models::cim_mesh {

/// Everything a design answers, in SI.
struct Answer {
    LayerTime layer;
    RequestTime time;
    RequestTime ideal;  ///< under tree collectives
    PairPower pair;
    std::vector<RowEnergy> energy;  ///< along the ledger
    sim::Bounded power;
    MacroArea tile;
    double static_power = 0.0;  ///< as PRIMAL's table counts
    double idle_power = 0.0;
    double paper_power = 0.0;  ///< of the macros the paper counts
    double value_bits = 0.0;
    double adapter_bytes = 0.0;
    double activity_energy = 0.0;
    double saving = 0.0;
    double kv_headroom = 1.0;
    double busiest_link = 0.0;  ///< flits
    sim::Bounded prompt_load;   ///< share of the busiest link's saturated throughput that the prompt's tokens ask for
    double prompt_link = 0.0;   ///< flits of one of them on that link
    double prompt_pace = 0.0;   ///< cycles from one to the next
    double adapter_weights = 0.0;
    double placement_gain = 0.0;
    double gpu_throughput = 0.0;  ///< prompt and output tokens
    double gpu_power = 0.0;
};

/// What was found for earlier points, for all threads.
struct Memory {
    PlacedLayers layers;
    sim::Memo<SearchKey, FoundPlacement> searches;
};

/// Where a layer's crossbars lie, and what a search gained over packing.
struct Floor {
    Genes genes;
    double gain = 0.0;
    std::shared_ptr<PlacedLayer const> layer;
};
[[nodiscard]] Floor layout(MachineConstants const& machine, Memory const& memory, Design const& design,
                           Partition const& partition);

[[nodiscard]] Answer answer(MachineConstants const& machine, Design const& design, Partition const& partition,
                            Floor const& layout, Fidelity fidelity);

}  // namespace pimdse::models::cim_mesh
