#pragma once

#include "models/contract/breakdown.hpp"
#include "models/contract/standby.hpp"
#include "models/economy/materials.hpp"
#include "models/upmem/prepared.hpp"
#include "models/upmem/timeline.hpp"

#include <span>

namespace pimdse::models::upmem {

/// Power of a DPU, and of all ranks at rest, whether their DPUs are used or not. DPUs scale with the clock and its
/// voltage; DRAM does not.
struct DpuPowers {
    sim::Power sram_static;
    sim::Power waiting, unbooted;  ///< in use but not running; not in use
    sim::Energy instruction;       ///< per issued instruction, in addition to waiting
    Standby rest{};
};
[[nodiscard]] DpuPowers powers_of(MachineConstants const& machine, Design const& design);

/// Power of the fullest chip, if each of its DPUs in use draws `running`.
[[nodiscard]] sim::Power package_power(MachineConstants const& machine, Design const& design, sim::Power running);

/// The same while every DPU in use issues as often as its tasklets can and reads MRAM all the time; no program draws
/// more.
[[nodiscard]] sim::Power max_package_power(MachineConstants const& machine, Design const& design);

/// Areas of all chips: pipelines, whose size depends on frequency, bandwidth and dispatch distance; WRAM, IRAM and
/// registers; memory dies.
struct DieAreas {
    sim::Area logic, sram, memory;
};
[[nodiscard]] DieAreas areas_of(MachineConstants const& machine, Design const& design);

/// What the ranks are made of: DDR4 with DPUs beside the banks.
[[nodiscard]] economy::Materials materials_of(MachineConstants const& machine, Design const& design);

/// The account of every row of the ledger.
[[nodiscard]] Ledger ledger();

/// Activity of a DPU in a plan: cycles of every launch, and instructions of all launches.
struct Running {
    std::span<double const> cycles;
    double instructions = 0.0;
};

/// Energy of a plan with the durations of the timeline. `powers`: of the design.
[[nodiscard]] EnergyByRow energy_rows_of(Prepared const& prepared, Design const& design, DpuPowers const& powers,
                                         Plan const& plan, Timeline const& timeline, Running const& running);

/// Activity of all DPUs of a call.
struct Activity {
    double seconds = 0.0, instructions = 0.0;  ///< of running DPUs
    double rows = 0.0, bytes = 0.0;            ///< in MRAM
    double sent = 0.0;                         ///< bytes between host and DPUs
};

/// Power of a running DPU including its MRAM [W]: the activity of `work` in so many seconds.
[[nodiscard]] double running_power(MachineConstants const& machine, Design const& design, Activity const& work,
                                   double seconds);

/// What a host that shares the bank of a DPU adds to its kernels: rows that are opened again, and seconds by which the
/// kernels take longer.
struct SharedBankCost {
    double rows = 0.0, longer = 0.0;
};

/// The same of a plan: the activity of `work` and the rows of `shared` in the time of
/// `time`, longer because of `shared`.
[[nodiscard]] double running_power(Prepared const& prepared, Design const& design, Plan const& plan,
                                   Running const& work, Running const& time, SharedBankCost const& shared);

[[nodiscard]] std::vector<Share> area_shares(DieAreas const& areas);

}  // namespace pimdse::models::upmem
