#pragma once

#include "models/cim_mesh/result.hpp"
#include "models/contract/service_engine.hpp"

#include <optional>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Why the steps of a design are not modelled. nullopt if they are: a step needs the same machine whatever requests it
/// serves.
[[nodiscard]] std::optional<Infeasible> broken_step_rule(Design const& design);

/// The design with a request of one prompt as long as its model allows, so that layers whose windows differ are of
/// several kinds. `batch` is 1.
[[nodiscard]] Design with_longest_request(Design design);

/// The mesh as an engine, from the passes of evaluate (README.md, Steps of an engine). A step without prompts is a
/// round of `compose`; a step with prompts begins with an empty pipeline of layers. Preconditions: broken_step_rule is
/// nullopt, the design of the kinds is with_longest_request, and their layers fit. `machine` and the models live
/// longer.
[[nodiscard]] ServiceEngine service_engine(MachineConstants const& machine, std::vector<KindOnMesh> const& kinds,
                                           std::vector<Floor> const& layouts, Fidelity fidelity);

}  // namespace pimdse::models::cim_mesh
