#pragma once

#include "models/cim_mesh/placed_design.hpp"
#include "models/contract/flow_graph.hpp"

namespace pimdse::models::cim_mesh {

/// The data flow of a decoded token at the mean context through one layer. Its stages are the parts of
/// `token`, divided: partial sums by the additions of each matrix, routes and collectives by their lengths in
/// closed form, and products with keys and values into halves. All stages together take the time of the layer; with the
/// serial schedule that is longer than the critical path, because stages without a common edge wait for each other as
/// well. Precondition: not a diffusion model.
[[nodiscard]] FlowGraph flow_graph_of(MachineConstants const& machine, Design const& design, Partition const& partition,
                                      PlacedLayer const& layer, LayerParts const& token);

}  // namespace pimdse::models::cim_mesh
