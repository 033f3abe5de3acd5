#pragma once

#include "models/cim_mesh/layer/counts.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/contract/fidelity.hpp"

#include <string_view>
#include <vector>

namespace pimdse::models::cim_mesh {

/// A layer with ideal tree collectives, stage after stage. Trees with keys are simulated for the contexts that are
/// asked for or, if `spaced`, at some contexts up to the one that fills the pool, and linear between them. The
/// arguments must outlive the result.
[[nodiscard]] LayerPasses tree_passes(MachineConstants const& machine, Design const& design, Partition const& partition,
                                      PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity,
                                      bool spaced = false);

/// Cycles of a stage of a token that does not depend on the context, with borders between tiles.
struct TreeStageTime {
    std::string_view name;
    double cycles = 0.0;
};
/// The stages of TreeProgram::fixed_stages in closed form; together the part `collectives` of tree_passes() at
/// analytic level.
[[nodiscard]] std::vector<TreeStageTime> tree_stages(MachineConstants const& machine, Design const& design,
                                                     PlacedLayer const& layer);

/// Lower bounds of the parts of tree_passes() for every placement, in the same order. `counts` are those of
/// min_counts().
[[nodiscard]] LayerPasses tree_lower_bound(MachineConstants const& machine, Design const& design,
                                           Partition const& partition, LayerLowerBound const& layer,
                                           MeshCounts const& counts);

}  // namespace pimdse::models::cim_mesh
