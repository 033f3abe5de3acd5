#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/key_table.hpp"
#include "models/text/prepared.hpp"

#include <memory>
#include <vector>

namespace pimdse::models::text {

/// The cycle key of a text machine, derived from its file: a parameter of its own enters by the numbers whose
/// expressions read it, so that two values with the same effect have the same key.
[[nodiscard]] KeyParts key_parts_of(std::shared_ptr<CompiledMachine const> const& machine);

/// Directions of lower bounds of times, energy and area that follow from the signs of the machine's expressions.
[[nodiscard]] std::vector<MonotoneLowerBound> monotone_lower_bounds_of(Prepared const& prepared);

}  // namespace pimdse::models::text
