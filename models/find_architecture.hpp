#pragma once

#include "models/contract/architecture.hpp"

#include <string_view>

namespace pimdse::models {

/// Architecture by name, or the pair of two of them, "pair:PREFILL:DECODE" (models/pair). Throws InputError with a
/// suggestion.
[[nodiscard]] Architecture const& find_architecture(std::string_view name);

}  // namespace pimdse::models
