#pragma once

#include "models/contract/architecture.hpp"

#include <span>

namespace pimdse::models {

/// Every architecture, one line each in catalogue.cpp.
[[nodiscard]] std::span<Architecture const> catalogue();

/// The architecture of this name. Throws InputError with a suggestion.
[[nodiscard]] Architecture const& find_architecture(std::string_view name);

}  // namespace pimdse::models
