#pragma once

#include "models/umdam/request_cost.hpp"

#include <vector>

namespace pimdse::models::umdam {

/// The request on the units that serve it fastest: first the units of the prefill are chosen by the time to the first
/// token, then the units of decode by its time. At fidelity cycle the choice is certain. Otherwise the results of every
/// assignment that may be the fastest are returned, the one with the best estimates first.
[[nodiscard]] std::vector<RequestCost> run_request(Prepared const& prepared, System const& system, Fidelity fidelity);

}  // namespace pimdse::models::umdam
