#pragma once

#include "dse/explain/explanation.hpp"

#include <nlohmann/json_fwd.hpp>

namespace pimdse::dse::explain {

/// {"time": [{"what": ..., "seconds": ...}], "energy": [...], "area": [...]}
[[nodiscard]] nlohmann::ordered_json breakdown_json(models::Breakdown const& breakdown);

/// All of it, as `pimdse explain --format json` prints it; numbers are SI, ids are texts.
[[nodiscard]] nlohmann::ordered_json explanation_json(Ground const& ground, Explanation const& explanation);

}  // namespace pimdse::dse::explain
