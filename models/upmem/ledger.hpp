#pragma once

#include "models/contract/breakdown.hpp"
#include "models/contract/ledger.hpp"
#include "models/economy/materials.hpp"
#include "models/upmem/prepared.hpp"
#include "models/upmem/timeline.hpp"

#include <span>
#include <string>

namespace pimdse::models::upmem {

/// Power of the parts of a machine. DPUs scale with the clock and its voltage; DRAM does not.
struct Powers {
    sim::Power background, refresh;  ///< DRAM of one chip
    sim::Power sram_static;          ///< per DPU
    /// Per DPU: in use but not running; not in use.
    sim::Power waiting, unbooted;
    sim::Energy instruction;  ///< per issued instruction, in addition to waiting
};

/// Static power without a request: all DPUs wait.
[[nodiscard]] sim::Power idle_power(MachineConstants const& machine, Design const& design);

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

/// Energy in the counted rows of the ledger [J].
struct EnergyRows {
    double sram = 0.0, sram_static = 0.0, dram_array = 0.0, dram_interface = 0.0, dram_background = 0.0,
           dram_refresh = 0.0, in_memory_logic = 0.0, host_transfer = 0.0, host_compute = 0.0, idle_units = 0.0;

    [[nodiscard]] double total() const;
    EnergyRows& operator+=(EnergyRows const& other);
    /// Appends one share per row, named after the row and, if there is one, the part.
    void append_to(std::vector<Share>& shares, std::string const& part) const;
};

/// Activity of a DPU in a plan: cycles of every launch, and instructions of all launches.
struct Running {
    std::span<double const> cycles;
    double instructions = 0.0;
};

/// Energy of a plan with the durations of the timeline.
[[nodiscard]] EnergyRows energy_rows_of(Prepared const& prepared, Design const& design, Plan const& plan,
                                        Timeline const& timeline, Running const& running);

/// What a host that shares the bank of a DPU adds to its kernels: rows that are opened again, and seconds by which the
/// kernels take longer.
struct SharedBankCost {
    double rows = 0.0, longer = 0.0;
};

/// Power of a running DPU including its MRAM [W]: the activity of `work` and the rows of `shared` in the time of
/// `time`, longer because of `shared`.
[[nodiscard]] double running_power(Prepared const& prepared, Design const& design, Plan const& plan,
                                   Running const& work, Running const& time, SharedBankCost const& shared);

[[nodiscard]] std::vector<Share> area_shares(DieAreas const& areas);

}  // namespace pimdse::models::upmem
