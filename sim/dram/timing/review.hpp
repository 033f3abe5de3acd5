#pragma once

#include "sim/dram/timing/standard.hpp"

#include <string>
#include <vector>

namespace pimdse::sim::dram {

/// What a timing set amounts to, and what is wrong with it.
struct Review {
    int effective_row_cycle = 0;        ///< cycles: max(nRC, nRAS + nRP)
    Bandwidth peak;                     ///< from nBL and nCCDS, all channels
    Bandwidth pins;                     ///< from data rate and width, all channels
    Bandwidth refresh_ceiling;          ///< peak less the share all-bank refresh takes
    std::vector<std::string> warnings;  ///< one sentence each, naming the value used
};

/// Reviews a timing set. Throws InputError (every mistake) where it cannot be simulated at all: counts that are not
/// positive, a refresh that never ends (nRFC >= nREFI), more than 64 banks or 8 ranks per channel.
[[nodiscard]] Review review(Standard const& standard);

}  // namespace pimdse::sim::dram
