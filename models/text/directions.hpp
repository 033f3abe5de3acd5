#pragma once

#include "models/contract/key_table.hpp"
#include "models/contract/proofs.hpp"
#include "models/text/prepared.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pimdse::models::text {

/// The parameters that move one of these keys of the part of a unit, or that have such a name.
[[nodiscard]] std::vector<std::size_t> parameters_moving(CompiledMachine const& machine, UnitSlots const& unit,
                                                         std::span<std::string_view const> keys);

/// Directions of lower bounds of times, energy and area that follow from the signs of the machine's expressions.
[[nodiscard]] std::vector<MonotoneLowerBound> monotone_lower_bounds_of(Prepared const& prepared);

/// Constants of which the dimension does not tell how they move metrics: a number of another kind reads them, or one
/// that does not grow with them, or a limit.
[[nodiscard]] std::vector<std::string> constants_without_slopes_of(Prepared const& prepared);

/// The cycle key of a text machine, derived from its file: a parameter of its own enters by the numbers whose
/// expressions read it, so that two values with the same effect have the same key.
[[nodiscard]] KeyParts key_parts_of(std::shared_ptr<CompiledMachine const> const& machine);

}  // namespace pimdse::models::text
