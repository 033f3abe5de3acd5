#pragma once

#include "models/cim_mesh/analytic.hpp"
#include "models/cim_mesh/layer/interval.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"

#include <vector>

namespace pimdse::models::cim_mesh {

/// Cycles of one layer by what takes them.
struct LayerPart {
    std::string what;
    Interval cycles;
};

/// One layer for the whole request: the prompt once, and the mean decoded token.
struct LayerTime {
    std::vector<LayerPart> prefill, decode;

    [[nodiscard]] Interval prefill_total() const;
    [[nodiscard]] Interval decode_total() const;
};

/// The serial schedule (calibrated to the published figures). analytic: the closed form of analytic.hpp. hybrid: one
/// output column per matrix and a stretch of keys pass the simulated mesh. cycle: every column, and every key of every
/// sampled context.
[[nodiscard]] LayerTime serial_layer(Machine const& machine, Design const& design, Partition const& partition,
                                     Placement const& placement, Fidelity fidelity);

/// Ideal tree collectives, phase after phase.
[[nodiscard]] LayerTime tree_layer(Machine const& machine, Design const& design, Partition const& partition,
                                   TreeProgram const& program, Fidelity fidelity);

/// Contexts at which a decoded token is simulated between input and input + output, and the weight of each in the mean:
/// the trapezoid rule over all of them up to 32 generated tokens, over 33 evenly spaced ones beyond (between them every
/// cost obeys a recurrence with steps of whole flits per key). Weights sum to 1; the mean of a linear cost is its
/// middle.
struct Sample {
    std::int64_t context = 0;
    double weight = 0.0;
};
[[nodiscard]] std::vector<Sample> sampled_contexts(std::int64_t input, std::int64_t output);

[[nodiscard]] sim::noc::RouterTiming router_timing(Machine const& machine, Design const& design);

}  // namespace pimdse::models::cim_mesh
