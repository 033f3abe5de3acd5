#pragma once

#include "models/contract/fidelity.hpp"
#include "models/contract/flow_graph.hpp"
#include "models/contract/inputs.hpp"

#include <string>
#include <string_view>

namespace pimdse::models {

/// The data flow of a layer of a feasible point. Throws InputError if the point has none.
using FlowGraphOf = FlowGraph (*)(Inputs const&, Point, Fidelity);

/// nullptr for an architecture that has no such graph.
[[nodiscard]] FlowGraphOf find_flow_graph(std::string_view architecture);

/// What the network does for a layer of a feasible point, as the text of a program (docs/simulators.md). Throws
/// InputError if the point has no such program.
using NetworkProgramOf = std::string (*)(Inputs const&, Point);

/// nullptr for an architecture without a mesh network.
[[nodiscard]] NetworkProgramOf find_network_program(std::string_view architecture);

}  // namespace pimdse::models
