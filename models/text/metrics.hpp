#pragma once

#include "models/economy/economy.hpp"
#include "models/text/result.hpp"

namespace pimdse::models::text {

/// The metrics of every text machine, after them its own, and those of cost and carbon.
[[nodiscard]] MetricList metrics_of_machine(CompiledMachine const& machine);
[[nodiscard]] Metrics metrics_of(Result const& result, economy::Economy const& economy);

}  // namespace pimdse::models::text
