#pragma once

#include "dse/cli/options.hpp"
#include "dse/cli/point_request.hpp"
#include "dse/cli/served_scenario.hpp"
#include "models/contract/architecture.hpp"

#include <vector>

namespace pimdse::dse::cli {

/// A point with its result.
struct Evaluated {
    PointRequest requested;
    models::Outcome outcome;
    models::Breakdown breakdown;                ///< only of a feasible point without scenarios
    std::vector<ServedScenario> services{};     ///< of a feasible point: its scenarios with traffic
    std::vector<std::string> without_effect{};  ///< assumptions of the command line that move none of its metrics
};

/// Prints fidelity, changed parameters, and the figures that most questions are about; `all`: every metric with its
/// meaning, and where time, energy and area go. json and csv have all.
void print_evaluated(Evaluated const& evaluated, Format format, bool all);

}  // namespace pimdse::dse::cli
