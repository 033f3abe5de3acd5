#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/flow_graph.hpp"

#include <string_view>

namespace pimdse::models {

/// The data flow of a layer of a feasible point. Throws InputError if the point has none.
using FlowGraphOf = FlowGraph (*)(Inputs const&, Point, Fidelity);

/// nullptr for an architecture that has no such graph.
[[nodiscard]] FlowGraphOf find_flow_graph(std::string_view architecture);

}  // namespace pimdse::models
