#pragma once

#include "models/contract/ledger.hpp"
#include "models/gpu/analytic.hpp"

namespace pimdse::models::gpu {

[[nodiscard]] MetricList metrics();
[[nodiscard]] Metrics metrics_of(Result const& result);

/// Ledger entries of the boards.
[[nodiscard]] Ledger ledger();

}  // namespace pimdse::models::gpu
