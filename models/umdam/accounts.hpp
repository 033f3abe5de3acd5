#pragma once

#include "models/contract/energy_share.hpp"
#include "models/umdam/floorplan.hpp"
#include "models/umdam/phases.hpp"

#include <vector>

namespace pimdse::models::umdam {

/// Where the energy of a request goes.
[[nodiscard]] std::vector<EnergyShare> energy_shares(System const& system, RequestCost const& cost,
                                                     MachineConstants const& machine);

/// All of it, J.
struct RequestEnergy {
    Commands commands;  ///< of the whole request
    StandingPower standing;
    sim::Bounded of_commands;  ///< of what they do, whatever time it takes
    sim::Bounded all;
};
[[nodiscard]] RequestEnergy energy_of(System const& system, RequestCost const& cost, MachineConstants const& machine);

/// Mean power of a request, W: less, the longer it takes, because a unit that waits draws less than one that works.
[[nodiscard]] sim::Bounded mean_power(System const& system, RequestEnergy const& energy, sim::Bounded const& latency,
                                      NpuConstants const& npu);

}  // namespace pimdse::models::umdam
