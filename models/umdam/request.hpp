#pragma once

#include "models/umdam/request_cost.hpp"

#include <vector>

namespace pimdse::models::umdam {

/// The request on the units that serve it soonest: first those of the prefill, by the time to the first token, then
/// those of decode, by its time. At fidelity cycle these are known; otherwise every assignment that may be the fastest
/// is answered, the one of the best estimates first.
[[nodiscard]] std::vector<RequestCost> run_request(Prepared const& prepared, System const& system, Fidelity fidelity);

}  // namespace pimdse::models::umdam
