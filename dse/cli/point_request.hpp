#pragma once

#include "dse/cli/options.hpp"
#include "dse/space/machine.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// What `evaluate` is asked about: a point of a machine without conditions, in scenarios or as it is.
struct PointRequest {
    space::Machine machine;  ///< its axes are empty
    std::vector<models::Value> point;
    models::Fidelity fidelity{};
    std::string origin;  ///< "point 12 of quick.h5"; "" where flags say all of it
};

/// The flags that say it.
void add_point_flags(po::options_description& flags);

/// Of an architecture, or of a point of a result file. Throws UsageError and InputError.
[[nodiscard]] PointRequest point_request(po::variables_map const& values, Manual const& manual);

/// "tasklets 8, streams 4": parameters that are not at their defaults.
[[nodiscard]] std::string changed_parameters(PointRequest const& requested);

}  // namespace pimdse::dse::cli
