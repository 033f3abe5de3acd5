#pragma once

#include "models/contract/architecture.hpp"

#include <span>

namespace pimdse::models {

/// Every architecture, one line each in catalogue.cpp.
[[nodiscard]] std::span<Architecture const> catalogue();

}  // namespace pimdse::models
