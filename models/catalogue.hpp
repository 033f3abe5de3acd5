#pragma once

#include "models/contract/architecture.hpp"

#include <span>

namespace pimdse::models {

/// All architectures; catalogue.cpp has one line for each.
[[nodiscard]] std::span<Architecture const> catalogue();

}  // namespace pimdse::models
