#pragma once

#include "models/economy/economy.hpp"
#include "models/text/result.hpp"

namespace pimdse::models::text {

/// The metrics of every text machine, after them its own, and the other common ones.
[[nodiscard]] MetricList metrics_of_machine(CompiledMachine const& machine);
[[nodiscard]] RequestResult request_result(Result const& result, economy::Economy const& economy);

}  // namespace pimdse::models::text
