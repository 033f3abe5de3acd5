#pragma once

#include "models/umdam/system.hpp"

#include <variant>

namespace pimdse::models::umdam {

/// Builds a point or says why it cannot exist.
[[nodiscard]] std::variant<System, Infeasible> make_system(Prepared const& prepared, Design const& design);

}  // namespace pimdse::models::umdam
