#pragma once

#include "simulated_job.hpp"

#include <vector>

namespace pimdse::scale {

struct Options {
    Machine machine;
    std::vector<int> ranks{1, 4, 16, 64, 256, 1000, 4000, 10000};
    double seconds = 60.0;     ///< of work per thread, for the table
    std::uint64_t points = 0;  ///< more than 0: one run, printed as JSON
    Cost cost;
    dse::space::Keep keep = dse::space::Keep::all;
};

/// Ends the program with a list of the flags when one is wrong.
[[nodiscard]] Options read_options(int count, char** words);

}  // namespace pimdse::scale
