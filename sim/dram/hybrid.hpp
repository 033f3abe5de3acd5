#pragma once

#include "sim/dram/simulate.hpp"

#include <cstdint>

namespace pimdse::sim::dram {

/// How much of a stream is looked at: `samples` stretches spread evenly over it, each of `laps` refresh intervals after one
/// interval to fill the queues. Whole intervals, so that every stretch holds its share of refresh exactly.
struct Sampling {
    int samples = 8;
    int laps = 2;
};

/// The cycles of a whole stream from stretches of it. The bound is calibrated, not proved: the range of the cycles per request
/// seen, half as wide again, and what start and end of the stream can add; never below what the data bus needs.
struct Approximation {
    double cycles = 0.0, low = 0.0, high = 0.0;
    Counters counters;   ///< scaled to the stream (no latency distribution); exact where `exact`
    bool exact = false;  ///< the stream was so short that it was run through
};

/// Estimates simulate(...). Pure and deterministic; same errors.
[[nodiscard]] Approximation approximate(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options = {},
                                        Sampling const& sampling = {});

}  // namespace pimdse::sim::dram
