#pragma once

#include "models/contract/common_metrics.hpp"
#include "models/contract/ledger.hpp"
#include "models/umdam/request_cost.hpp"
#include "models/umdam/system.hpp"

#include <vector>

namespace pimdse::models::umdam {

/// What umdam says of every row.
[[nodiscard]] Ledger ledger();

/// Logic and on-chip memory of NPU and DRAM dies, one share a part, called by rows of the ledger.
[[nodiscard]] std::vector<Share> area_of(System const& system, MachineConstants const& machine);

/// The DRAM dies: one a rank of a channel.
[[nodiscard]] sim::Area memory_area_of(System const& system, MachineConstants const& machine);

/// What a machine draws that has no request, or beside one, W. Units that work are charged for what they do instead.
struct IdleMachinePower {
    double matrix_units = 0.0, vectors = 0.0;  ///< all of the NPU, waiting
    double pim_unit = 0.0;                     ///< one unit in a bank, waiting
    double pim_units = 0.0;                    ///< how many there are
    double channels = 0.0;                     ///< PHYs and controllers
    double sram = 0.0;
    double dram_open = 0.0, dram_powered_down = 0.0;  ///< all dies: while a request runs, and without one
    double refresh = 0.0;

    [[nodiscard]] double idle() const {
        return matrix_units + vectors + pim_unit * pim_units + channels + sram + dram_powered_down + refresh;
    }
};
[[nodiscard]] IdleMachinePower standing_power(System const& system, MachineConstants const& machine);

/// The clock of the units in the banks.
[[nodiscard]] sim::Frequency pim_clock(Design const& design);

/// Of the data pins of a channel, B/s.
[[nodiscard]] double peak_rate(sim::dram::Standard const& dram);

/// Operations a second that the vector units do beside cubes of this peak.
[[nodiscard]] double vector_rate(Design const& design, NpuConstants const& npu);

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
