#pragma once

#include "dse/cli/served_scenario.hpp"
#include "sim/base/json.hpp"

#include <string>

namespace pimdse::dse::cli {

/// Limits and times of a scenario as a table, then counts, rates, whether it is saturated, a hint, and a timeline of 20
/// lines in ASCII. `width`: columns of the screen; 0: unlimited.
[[nodiscard]] std::string service_text(ServedScenario const& scenario, std::size_t width);

/// The same as data, in SI: times with their percentiles 1 to 100, and a timeline of 200 intervals.
[[nodiscard]] sim::Json service_json(ServedScenario const& scenario);

}  // namespace pimdse::dse::cli
