#pragma once

#include "dse/report/explanation.hpp"
#include "sim/base/json.hpp"

namespace pimdse::dse::report {

/// {"time": [{"what": ..., "seconds": ...}], "energy": [...], "area": [...], "silicon": [...], "limits": [...]}
[[nodiscard]] sim::Json breakdown_json(models::Breakdown const& breakdown);

/// The output of `pimdse explain --format json`. Numbers are in SI, ids are strings.
[[nodiscard]] sim::Json explanation_json(ExplainContext const& context, Explanation const& explanation);

}  // namespace pimdse::dse::report
