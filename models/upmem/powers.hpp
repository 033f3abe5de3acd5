#pragma once

#include "models/upmem/prepared.hpp"

namespace pimdse::models::upmem {

/// What the parts of a machine draw. DPUs follow the clock and its voltage; DRAM does not.
struct Powers {
    sim::Power background, refresh;  ///< of a chip's DRAM
    sim::Power sram_static;          ///< of a DPU
    sim::Power waiting, unbooted;    ///< of a DPU that is in use and does not run; of one that is not in use
    sim::Energy instruction;         ///< that a DPU issues, beyond waiting
};
[[nodiscard]] Powers powers_of(MachineConstants const& machine, Design const& design);

/// What a machine has: whole ranks, also where fewer DPUs are used.
struct Hardware {
    double dpus = 0.0, chips = 0.0;
};
[[nodiscard]] Hardware hardware_of(MachineConstants const& machine, Design const& design);

/// Powered, no request: all DPUs wait.
[[nodiscard]] sim::Power idle_power(MachineConstants const& machine, Design const& design);

/// The fullest chip, of whose DPUs those in use draw so much each.
[[nodiscard]] sim::Power package_power(MachineConstants const& machine, Design const& design, sim::Power running);

/// The same while every DPU in use issues as often as its tasklets may and reads MRAM all the time: no program draws
/// more.
[[nodiscard]] sim::Power most_package_power(MachineConstants const& machine, Design const& design);

/// Of all chips: pipelines with what frequency, bandwidth and dispatch distance ask of them; WRAM, IRAM and registers.
struct DieAreas {
    sim::Area logic, sram, memory;
};
[[nodiscard]] DieAreas areas_of(MachineConstants const& machine, Design const& design);

}  // namespace pimdse::models::upmem
