#pragma once

#include "models/contract/energy_share.hpp"
#include "models/umdam/floorplan.hpp"
#include "models/umdam/request_cost.hpp"

#include <vector>

namespace pimdse::models::umdam {

/// Where the energy of a request goes.
[[nodiscard]] std::vector<EnergyShare> energy_shares(System const& system, RequestCost const& cost,
                                                     MachineConstants const& machine);

/// What a part of a request does, and how long.
struct Spent {
    Commands commands;
    sim::Bounded seconds;
};
[[nodiscard]] Spent spent_in_all(RequestCost const& cost);
/// To the first token, re-layout included; behind it.
[[nodiscard]] Spent spent_in_prefill(RequestCost const& cost);
[[nodiscard]] Spent spent_in_decode(RequestCost const& cost);

/// All of its energy, J.
[[nodiscard]] sim::Bounded energy_of(System const& system, Spent const& spent, MachineConstants const& machine);

/// Its mean power, W: less, the longer it takes, because a unit that waits draws less than one that works.
[[nodiscard]] sim::Bounded power_of(System const& system, Spent const& spent, MachineConstants const& machine);

/// Mean power of one DRAM package meanwhile, W; channels share work evenly.
[[nodiscard]] sim::Bounded package_power_of(System const& system, Spent const& spent, MachineConstants const& machine);

/// Power of one DRAM package while all of its banks multiply whole rows without a pause, W.
[[nodiscard]] double package_power_at_work(System const& system, MachineConstants const& machine);

}  // namespace pimdse::models::umdam
