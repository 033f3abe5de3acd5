#pragma once

#include "models/upmem/powers.hpp"
#include "models/upmem/timeline.hpp"

#include <span>
#include <string>

namespace pimdse::models::upmem {

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
