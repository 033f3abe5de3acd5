#pragma once

#include "models/umdam/design.hpp"
#include "models/umdam/system.hpp"

#include <optional>

namespace pimdse::models::umdam {

/// The table of parameters: names, units, defaults and meanings of the public contract.
[[nodiscard]] Parameters parameters();

/// Reads a point by position.
[[nodiscard]] Design read_design(Point point);

/// Counts that no organisation has: not powers of two, an unknown density, no timing for PIM.
[[nodiscard]] std::optional<Infeasible> check_numbers(Design const& design, Prepared const& prepared);

/// What the clock of units in the banks may be.
[[nodiscard]] std::optional<Infeasible> check_clock(Design const& design, Supply const& pim);

/// Column bits, rows and refresh of the memory; system has design and standard.
[[nodiscard]] std::optional<Infeasible> check_organisation(System const& system);

/// Whether the model generates so; system has design and model.
[[nodiscard]] std::optional<Infeasible> check_generation(System const& system);

/// NPU buffer and global buffer against tiles and vectors; system has standard, model and interleave.
[[nodiscard]] std::optional<Infeasible> check_buffers(System const& system, Prepared const& prepared);

/// PIM legality of the mapping and capacity; system is complete.
[[nodiscard]] std::optional<Infeasible> check_placement(System const& system);

/// What a DRAM package may draw while its banks multiply, if this request may use them; system is complete.
[[nodiscard]] std::optional<Infeasible> check_package(System const& system, MachineConstants const& machine);

}  // namespace pimdse::models::umdam
