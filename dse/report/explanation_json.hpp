#pragma once

#include "dse/report/explanation.hpp"

#include <nlohmann/json_fwd.hpp>

namespace pimdse::dse::report {

/// {"time": [{"what": ..., "seconds": ...}], "energy": [...], "area": [...], "silicon": [...], "limits": [...]}
[[nodiscard]] nlohmann::ordered_json breakdown_json(models::Breakdown const& breakdown);

/// The output of `pimdse explain --format json`. Numbers are in SI, ids are strings.
[[nodiscard]] nlohmann::ordered_json explanation_json(ExplainContext const& context, Explanation const& explanation);

}  // namespace pimdse::dse::report
