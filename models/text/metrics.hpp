#pragma once

#include "models/contract/architecture.hpp"
#include "models/text/result.hpp"

namespace pimdse::models::text {

/// The metrics of every text machine, and after them its own.
[[nodiscard]] MetricList metrics_of_machine(CompiledMachine const& machine);
[[nodiscard]] Metrics metrics_of(Result const& result);

}  // namespace pimdse::models::text
