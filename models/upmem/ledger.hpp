#pragma once

#include "models/upmem/prepared.hpp"
#include "models/upmem/timeline.hpp"

#include <span>
#include <string>

namespace pimdse::models::upmem {

/// What the parts of a machine draw. DPUs follow the clock and its voltage; DRAM does not.
struct Powers {
    sim::Power background, refresh;  ///< of a chip's DRAM
    sim::Power sram_static;          ///< of a DPU
    sim::Power waiting, unbooted;    ///< of a DPU that is in use and does not run; of one that is not in use
    sim::Energy instruction;         ///< that a DPU issues, beyond waiting
};

/// Powered, no request: all DPUs wait.
[[nodiscard]] sim::Power idle_power(MachineConstants const& machine, Design const& design);

/// The fullest chip, of whose DPUs those in use draw so much each.
[[nodiscard]] sim::Power package_power(MachineConstants const& machine, Design const& design, sim::Power running);

/// The same while every DPU in use issues as often as its tasklets may and reads MRAM all the time: no program draws
/// more.
[[nodiscard]] sim::Power max_package_power(MachineConstants const& machine, Design const& design);

/// Of all chips: pipelines with what frequency, bandwidth and dispatch distance ask of them; WRAM, IRAM and registers.
struct DieAreas {
    sim::Area logic, sram, memory;
};
[[nodiscard]] DieAreas areas_of(MachineConstants const& machine, Design const& design);

/// What is said of every row.
[[nodiscard]] Ledger ledger();

/// Joules along the rows that are counted.
struct EnergyRows {
    double sram = 0.0, sram_static = 0.0, dram_array = 0.0, dram_interface = 0.0, dram_background = 0.0,
           dram_refresh = 0.0, in_memory_logic = 0.0, host_transfer = 0.0, host_compute = 0.0, idle_units = 0.0;

    [[nodiscard]] double total() const;
    EnergyRows& operator+=(EnergyRows const& other);
    /// Appends a share per row, called by its name and, where there is one, the part's.
    void append_to(std::vector<Share>& shares, std::string const& part) const;
};

/// What a DPU does in a plan: cycles of every launch, and instructions of all of them.
struct Running {
    std::span<double const> cycles;
    double instructions = 0.0;
};

/// Of a plan that takes as long as the timeline says.
[[nodiscard]] EnergyRows energy_rows_of(Prepared const& prepared, Design const& design, Plan const& plan,
                                        Timeline const& timeline, Running const& running);

/// W of a DPU while it runs, its MRAM included: what `work` does in the time of `time`.
[[nodiscard]] double running_power(Prepared const& prepared, Design const& design, Plan const& plan,
                                   Running const& work, Running const& time);

[[nodiscard]] std::vector<Share> area_shares(DieAreas const& areas);

}  // namespace pimdse::models::upmem
