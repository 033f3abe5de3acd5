#pragma once

#include "sim/pim/bank_work.hpp"

#include <cstdint>

namespace pimdse::sim::pim {

/// Timing of PIM execution on one channel in cycles of the DRAM command clock, not rounded.
struct PimTiming {
    double mac_interval = 0.0;     ///< nMAC, between two bursts of every bank
    double activate_to_mac = 0.0;  ///< nRCD_MAC
    double nRAS = 0.0, nRP = 0.0, nRTP = 0.0;
    double stagger = 0.0;        ///< between the ACTs of the first and the last bank in one row visit
    double buffer_write = 0.0;   ///< cycles per WR_GB burst
    double refresh_share = 0.0;  ///< share of time lost to refresh
    bool double_buffer = true;
    double clock = 0.0;  ///< s
};

/// Cycles of one row visit with c MACs: T_row(c) = stagger + max(nRCD_MAC + (c - 1) nMAC + nRTP, nRAS) + nRP, at least
/// c nMAC.
[[nodiscard]] double row_visit_cycles(PimTiming const& timing, double macs);

/// Cycles of one GEMV on a channel, including refresh. `phases` > 1: banks of a channel need different parts of x, so
/// each MAC is issued once for each part.
[[nodiscard]] double gemv_cycles(GemvWalk const& walk, PimTiming const& timing, std::int64_t phases = 1);

}  // namespace pimdse::sim::pim
