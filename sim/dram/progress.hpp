#pragma once

#include "sim/dram/counts/counters.hpp"
#include "sim/dram/timing/command.hpp"

#include <cstdint>

namespace pimdse::sim::dram {

/// How far a front end and its channels have come.
struct Progress {
    Tick now = 0;
    std::uint64_t request = 0;
    Counters counters;
};

/// What is asked of a stream that ends here.
struct Ended {
    Tick cycles = 0;
    std::uint64_t activates = 0;
};

/// What one front end showed while a stretch was sent: its progress at the first and the last refresh deadline after so
/// many requests of `warm_up` (where there are not two of them: at the start, or the first, and at the end), and how
/// long its channels went on after the last request was sent.
struct Watched {
    Progress from, to;
    bool whole_laps = false;  ///< from deadline to deadline
    Tick after_the_last = 0;
};

}  // namespace pimdse::sim::dram
