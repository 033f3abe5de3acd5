#pragma once

#include "dse/space/machine.hpp"

#include <string>
#include <string_view>

namespace pimdse::dse::space {

/// Why a metric of a machine applies to no point of it: the needs that no value of an axis, or of a scenario, meets. ""
/// if it may apply to some. `metric`: as machine.metrics() has it. Conditions are not looked at.
[[nodiscard]] std::string why_never(Machine const& machine, std::string_view metric);

/// Why it does not apply to this point; "" if all needs that the metric states are met.
[[nodiscard]] std::string why_not_here(Machine const& machine, std::string_view metric, models::Point point);

}  // namespace pimdse::dse::space
