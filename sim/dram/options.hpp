#pragma once

#include <cstdint>

namespace pimdse::sim::dram {

enum class RefreshMode : std::uint8_t { all_bank, per_bank, none };
enum class Scheduler : std::uint8_t { frfcfs, frfcfs_row_hit };
/// in_order: one stream for all channels, a full channel stops the rest. independent: a queue of its own per channel,
/// fed in stream order, so that channels run apart (and in parallel).
enum class FrontEnd : std::uint8_t { in_order, independent };
enum class FastForward : std::uint8_t { off, exact };
enum class Observe : std::uint8_t { counters, everything };

/// The controller and its front end.
struct Options {
    RefreshMode refresh = RefreshMode::all_bank;
    Scheduler scheduler = Scheduler::frfcfs;
    FrontEnd front_end = FrontEnd::in_order;
    int queue_depth = 32;  ///< entries of the read and of the write queue of a channel, 1..256
    int write_high =
        0;  ///< write queue size that turns write mode on; 0: four fifths of the depth, rounded up (26 of 32)
    int write_low = 0;  ///< size that turns it off again; 0: a fifth of the depth, rounded down (6 of 32)
    int tries = 8;      ///< requests accepted per cycle at most (per channel when independent)
    int window = 0;     ///< most requests outstanding; 0: no limit
    FastForward fast_forward = FastForward::exact;
    Observe observe = Observe::counters;
};

}  // namespace pimdse::sim::dram
