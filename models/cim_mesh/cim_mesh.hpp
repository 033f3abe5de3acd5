#pragma once

#include "models/contract/architecture.hpp"
#include "sim/noc/program.hpp"

namespace pimdse::models::cim_mesh {

/// The entry of the catalogue of architectures; see README.md in this folder.
[[nodiscard]] Architecture architecture();

/// The messages of a decoded token at the mean context in one layer with spanning trees (`schedule = tree`), stage
/// after stage as TreeProgram orders them. The network has no borders between compute tiles (README.md, Program); their
/// time comes on top. Throws InputError for the serial schedule, which has no such stages, and for a point that breaks
/// a rule.
[[nodiscard]] sim::noc::NetworkProgram network_program(Inputs const& inputs, Point point);

}  // namespace pimdse::models::cim_mesh
