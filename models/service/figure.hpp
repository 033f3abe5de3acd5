#pragma once

#include "models/contract/fidelity.hpp"
#include "models/contract/inputs.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pimdse::models::service {

/// models::ServeFigure: a metric of a machine with these settings, some of which are keys of traffic (traffic.hpp) or
/// parameters of the scheduler.
[[nodiscard]] double figure_of(Architecture const& architecture,
                               std::vector<std::pair<std::string, std::string>> const& settings,
                               std::string const& metric, Fidelity fidelity, std::string& problem);

}  // namespace pimdse::models::service
