#pragma once

#include "sim/pim/tile_curve.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace pimdse::sim::pim {

/// Order in which PIM processes a matrix: by segments of the global buffer, in storage order, or with all of x
/// resident.
enum class LoopOrder : std::uint8_t { kseg, nat, res };

/// Content of one bank for a GEMV, in bytes: `columns` columns (or parts of columns) of `column_bytes`, one after the
/// other in its rows.
struct BankWork {
    std::int64_t column_bytes = 0, columns = 0;
    std::int64_t row_bytes = 0, burst_bytes = 0;
    std::int64_t buffer_bytes = 0;  ///< part of the global buffer for the inputs of one bank
    LoopOrder order = LoopOrder::kseg;
    /// Parts of x that the buffer holds at the same time, because banks of a channel hold different parts of a column.
    std::int64_t inputs = 1;
    /// Bytes of a column that lie together where pieces of several columns follow each other in turn, a divisor of a
    /// row; 0: the whole column. Only for kseg.
    std::int64_t piece_bytes = 0;
    std::int64_t columns_of_tile = 1;  ///< columns of a tile in this bank
    TileGrid tiles;                    ///< tiles that reach this bank, in the order of storage
    auto operator<=>(BankWork const&) const = default;

    /// End of the part of a column from its byte `at` on that lies in one row.
    [[nodiscard]] std::int64_t end_in_row(std::int64_t column, std::int64_t at) const;

  private:
    [[nodiscard]] std::int64_t row_of_piece(std::int64_t column, std::int64_t piece) const;
};

/// One row activation with `macs` multiply-accumulate bursts, `count` times in a GEMV.
struct RowVisits {
    std::int64_t macs = 0, count = 0;
};

/// The commands of one channel for one GEMV, without their timing.
struct GemvWalk {
    std::vector<RowVisits> visits;               ///< by number of MACs, ascending
    std::int64_t macs = 0, row_activations = 0;  ///< totals per bank
    std::int64_t buffer_writes = 0;              ///< WR_GB bursts
    std::int64_t first_fill = 0;                 ///< WR_GB bursts before the first MAC
    std::int64_t mac_reads = 0;                  ///< RD_MAC, one per finished (partial) sum of all banks
    std::int64_t fillings = 1;                   ///< fillings of the buffer
    bool fills_in_rows = false;                  ///< the buffer is also filled while a row is open
    /// Number of WR_GB bursts for the inputs of one MAC burst: see BankWork.
    std::int64_t inputs = 1;
};

/// Cuts the columns of a bank at row and global-buffer boundaries (kseg: every column separately; nat, res: in storage
/// order, so that neighbouring columns share a visit of their common row).
[[nodiscard]] GemvWalk walk_of(BankWork const& work);

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
