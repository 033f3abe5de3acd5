#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/flow_graph.hpp"

namespace pimdse::models::cim_mesh {

/// The entry of the catalogue of architectures; see README.md in this folder.
[[nodiscard]] Architecture architecture();

/// The data flow of a decoded token through one layer (flow_graph.hpp). Throws InputError for a diffusion model and for
/// a point that breaks a rule.
[[nodiscard]] FlowGraph flow_graph(Inputs const& inputs, Point point, Fidelity fidelity);

}  // namespace pimdse::models::cim_mesh
