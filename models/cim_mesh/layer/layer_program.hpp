#pragma once

#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/cim_mesh/layer/placed_layer.hpp"
#include "sim/noc/program.hpp"

namespace pimdse::models::cim_mesh {

/// What a layer with spanning trees does for a decoded token that attends to `keys` keys, in the order of execution:
/// the messages of TreeProgram, and between them what the units compute, a stage each. `decoded` are the parts of the
/// token at cycle level that no message carries: crossbars and adapters belong to the matrices
/// whose products follow a broadcast.
[[nodiscard]] sim::noc::NetworkProgram layer_program(MachineConstants const& machine, Design const& design,
                                                     Partition const& partition, PlacedLayer const& layer,
                                                     LayerParts const& decoded, std::int64_t keys);

}  // namespace pimdse::models::cim_mesh
