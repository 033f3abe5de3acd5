#pragma once

#include "models/contract/energy_share.hpp"
#include "models/umdam/phases.hpp"

#include <vector>

namespace pimdse::models::umdam {

/// Where the energy of a request goes.
[[nodiscard]] std::vector<EnergyShare> energy_shares(System const& system, RequestCost const& cost,
                                                     MachineConstants const& machine);
/// All of it.
[[nodiscard]] sim::Bounded energy_of(System const& system, RequestCost const& cost, MachineConstants const& machine);

/// Mean power of a request: less, the longer it takes, because a unit that waits draws less than one that works.
[[nodiscard]] sim::Bounded mean_power(System const& system, RequestCost const& cost, MachineConstants const& machine);

}  // namespace pimdse::models::umdam
