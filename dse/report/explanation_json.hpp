#pragma once

#include "dse/report/explanation.hpp"

#include <nlohmann/json_fwd.hpp>

namespace pimdse::dse::report {

/// {"time": [{"what": ..., "seconds": ...}], "energy": [...], "area": [...]}
[[nodiscard]] nlohmann::ordered_json breakdown_json(models::Breakdown const& breakdown);

/// All of it, as `pimdse explain --format json` prints it; numbers are SI, ids are texts.
[[nodiscard]] nlohmann::ordered_json explanation_json(ExplainContext const& context, Explanation const& explanation);

}  // namespace pimdse::dse::report
