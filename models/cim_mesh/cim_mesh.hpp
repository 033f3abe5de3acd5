#pragma once

#include "models/contract/architecture.hpp"
#include "sim/noc/program.hpp"

namespace pimdse::models::cim_mesh {

/// The entry of the catalogue of architectures; see README.md in this folder.
[[nodiscard]] Architecture architecture();

/// What a decoded token at the mean context does in one layer with spanning trees (`schedule = tree`): messages and
/// computing units, stage after stage (README.md, Program). Throws InputError for the serial schedule, which has no
/// such stages, for points whose passes are not one token, and for a point that breaks a rule.
[[nodiscard]] sim::noc::NetworkProgram network_program(Inputs const& inputs, Point point);

}  // namespace pimdse::models::cim_mesh
