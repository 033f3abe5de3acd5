#pragma once

#include "models/contract/architecture.hpp"

#include <string>

namespace pimdse::models {

/// The formats of weights and of what a machine multiplies them by, at a feasible point: "int4 x fp16"; "" of machines
/// whose own formats have no such names.
[[nodiscard]] std::string products_of(Architecture const& machine, Inputs const& inputs, Point point);

}  // namespace pimdse::models
