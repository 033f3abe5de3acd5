#pragma once

#include "models/contract/key_table.hpp"
#include "models/text/prepared.hpp"

#include <memory>

namespace pimdse::models::text {

/// The cycle key of a text machine, derived from its file: a parameter of its own enters by the numbers whose
/// expressions read it, so that two values with the same effect have the same key.
[[nodiscard]] KeyParts key_parts_of(std::shared_ptr<CompiledMachine const> const& machine);

}  // namespace pimdse::models::text
