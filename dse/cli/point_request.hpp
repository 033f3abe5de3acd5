#pragma once

#include "dse/cli/options.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/machine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// The point that `evaluate` evaluates: a point of a machine without conditions, with or without scenarios.
struct PointRequest {
    space::Machine machine;  ///< its axes are empty
    std::vector<models::Value> point;
    models::Fidelity fidelity{};
    std::optional<space::HybridLevel> hybrid{};  ///< why it has this fidelity, if the request was for hybrid
    std::string origin;                          ///< "point 12 of quick.h5"; "" for a point given by flags only
};

/// The scenarios that --scenario states, a list of values as one each. Throws UsageError.
[[nodiscard]] std::vector<space::WrittenScenario> written_scenarios(CommandLine const& values);

/// The point of an architecture or of a result file that the flags describe. Throws UsageError and InputError.
[[nodiscard]] PointRequest point_request(CommandLine const& values);

/// The parameters that differ from their defaults: "tasklets 8, streams 4".
[[nodiscard]] std::string changed_parameters(PointRequest const& requested);

}  // namespace pimdse::dse::cli
