#pragma once

#include "models/contract/outcome.hpp"

#include <string>
#include <vector>

namespace pimdse::models {

/// Part of the time, energy or area of a point; the parts sum to the total of the point. Parts of energy and area are
/// named by the rows of the ledger.
struct Share {
    std::string what;     ///< "prefill/weights", "dram_array/prefill"
    double amount = 0.0;  ///< seconds, joules or square metres
};
/// Bottleneck of a phase of the request: the unit or memory that is busy longest, and the rate that it attains of its
/// roof.
struct PhaseLimit {
    std::string phase;      ///< "prefill", "decode", "transfer"
    std::string limiter;    ///< "bank bandwidth", "matrix unit", "launches"
    double attained = 0.0;  ///< in SI
    double roof = 0.0;      ///< in SI, above 0
    std::string unit;       ///< SI unit of both: "B/s", "FLOP/s", "1" for shares of time
};
struct Breakdown {
    std::vector<Share> time, energy, area;
    std::vector<PhaseLimit> limits{};  ///< one per phase, in order of time; empty if not reported
    std::vector<Share> silicon{};      ///< by process; see explained()
};
/// An outcome of one evaluation with its breakdown, which is empty if the outcome is not Metrics.
struct Explained : Breakdown {
    Outcome outcome;
};

/// A bar of a timeline, for a Chrome trace.
struct TraceEvent {
    std::string what, unit;  ///< operation, and the unit that performs it
    double start = 0.0;      ///< s
    double duration = 0.0;   ///< s
};
using Trace = std::vector<TraceEvent>;

}  // namespace pimdse::models
