#pragma once

#include "models/contract/architecture.hpp"

#include <span>
#include <string_view>

namespace pimdse::models {

/// Names of all architectures; catalogue.cpp has one word for each.
[[nodiscard]] std::span<std::string_view const> catalogue_names();

/// The architecture of this name, made when it is first asked for; nullptr: none has it. Thread-safe.
[[nodiscard]] Architecture const* find_in_catalogue(std::string_view name);

/// All architectures, in the order of their names there.
[[nodiscard]] std::span<Architecture const> catalogue();

}  // namespace pimdse::models
