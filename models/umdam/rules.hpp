#pragma once

#include "models/umdam/system.hpp"

#include <optional>

namespace pimdse::models::umdam {

/// Counts that no organisation has: not powers of two, an unknown density, no timing for PIM.
[[nodiscard]] std::optional<Infeasible> check_numbers(Settings const& settings, Prepared const& prepared);

/// Column bits, rows and refresh of the memory; design has settings and standard.
[[nodiscard]] std::optional<Infeasible> check_organisation(Design const& design);

/// NPU buffer and global buffer against tiles and vectors; design has standard, model and interleave.
[[nodiscard]] std::optional<Infeasible> check_buffers(Design const& design, Prepared const& prepared);

/// PIM legality of the mapping and capacity; design is complete.
[[nodiscard]] std::optional<Infeasible> check_placement(Design const& design);

}  // namespace pimdse::models::umdam
