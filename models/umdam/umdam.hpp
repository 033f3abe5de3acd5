#pragma once

#include "models/contract/architecture.hpp"

#include <string>

namespace pimdse::models::umdam {

/// The description of this architecture for the catalogue; see README.md of this folder.
[[nodiscard]] Architecture architecture();

/// The formats of weights and of what the machine multiplies them by, at a feasible point of its own or of a group:
/// "int4 x fp16".
[[nodiscard]] std::string products(Inputs const& inputs, Point point);

}  // namespace pimdse::models::umdam
