#pragma once

#include <cstdint>

namespace pimdse::sim::dram {

enum class RefreshMode : std::uint8_t { all_bank, per_bank, none };
enum class Scheduler : std::uint8_t { frfcfs, frfcfs_row_hit };
/// in_order: one front end for all channels; a full channel blocks the others. independent: one front end per channel,
/// each with its own copy of the stream, so that channels run independently (and in parallel).
enum class FrontEndMode : std::uint8_t { in_order, independent };
/// exact: periods of a steady state are skipped without changing any counter.
enum class FastForward : std::uint8_t { off, exact };
/// everything: also latency percentiles and the use of every bus cycle.
enum class Observe : std::uint8_t { counters, everything };

/// Options of the memory controller and its front end.
struct Options {
    RefreshMode refresh = RefreshMode::all_bank;
    Scheduler scheduler = Scheduler::frfcfs;
    FrontEndMode front_end = FrontEndMode::in_order;
    int queue_depth = 32;  ///< entries of the read and of the write queue of a channel, 1..256
    int write_high = 0;    ///< size of the write queue that starts write mode; 0: 4/5 of the depth, rounded up
    int write_low = 0;     ///< size that ends it; 0: 1/5 of the depth, rounded down
    int tries = 8;         ///< maximum requests accepted per cycle (per channel if independent)
    int window = 0;        ///< maximum outstanding requests; 0: no limit
    FastForward fast_forward = FastForward::exact;
    Observe observe = Observe::counters;
};

}  // namespace pimdse::sim::dram
