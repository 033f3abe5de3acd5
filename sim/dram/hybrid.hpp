#pragma once

#include "sim/dram/counters.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/stream.hpp"

namespace pimdse::sim::dram {

/// How much of a stream is looked at: `samples` stretches, each of `laps` refresh intervals (at the peak rate; more
/// where the memory is slower) after one to fill the queues; four times as many where they disagree. Whole intervals,
/// so that every stretch holds its share of refresh exactly.
struct Sampling {
    int samples = 12;
    int laps = 2;
};

/// The cycles of a whole stream from stretches of it. The bound is calibrated, not proved: see `approximate`.
struct Approximation {
    double cycles = 0.0, low = 0.0, high = 0.0;
    Counters counters;   ///< scaled to the stream (no latency distribution); exact where `exact`
    bool exact = false;  ///< the stream was so short, or so uneven, that it was run through
};

/// Estimates simulate(...). A fluid model (Effort) walks the stream and tells its slow parts from its fast ones;
/// stretches of every kind are simulated; the ratio of the two, kind by kind, scales the fluid model's sum. The bound
/// is what these ratios leave open: their range, shrunk for their number, and what the ends of the stream can add;
/// never below what the data bus needs (where no request is forwarded or coalesced). Where the range is too wide even
/// with more stretches, or stretches would cover half the stream, everything is simulated. Pure and deterministic; same
/// errors as simulate.
[[nodiscard]] Approximation approximate(Standard const& standard, Mapping const& mapping, Stream const& stream,
                                        Options const& options = {}, Sampling const& sampling = {});

}  // namespace pimdse::sim::dram
