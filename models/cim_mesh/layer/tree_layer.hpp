#pragma once

#include "models/cim_mesh/layer/counts.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/contract/fidelity.hpp"

#include <string_view>
#include <vector>

namespace pimdse::models::cim_mesh {

/// The time of a layer with ideal tree collectives, stage after stage.
[[nodiscard]] LayerTime tree_layer(MachineConstants const& machine, Design const& design, Partition const& partition,
                                   PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity);

/// The same for passes of any length. The arguments must outlive the result.
[[nodiscard]] LayerPasses tree_passes(MachineConstants const& machine, Design const& design, Partition const& partition,
                                      PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity);

/// Cycles of a stage of a token that does not depend on the context, with borders between tiles.
struct TreeStageTime {
    std::string_view name;
    double cycles = 0.0;
};
/// The stages of TreeProgram::fixed_stages in closed form; together the part `collectives` of tree_layer() at analytic
/// level.
[[nodiscard]] std::vector<TreeStageTime> tree_stages(MachineConstants const& machine, Design const& design,
                                                     PlacedLayer const& layer);

/// Lower bounds of the parts of tree_layer() for every placement, in the same order. `counts` are those of
/// min_counts().
[[nodiscard]] LayerTime tree_layer_lower_bound(MachineConstants const& machine, Design const& design,
                                               Partition const& partition, LayerLowerBound const& layer,
                                               MeshCounts const& counts);

}  // namespace pimdse::models::cim_mesh
