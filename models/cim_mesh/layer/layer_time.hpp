#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/layer/prompt.hpp"
#include "sim/base/bounded.hpp"
#include "sim/noc/network.hpp"

#include <string>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Cycles of one layer by what takes them.
struct LayerPart {
    std::string what;
    sim::Bounded cycles;
    bool settled = false;  ///< the same wherever the layer lies
};

/// One layer for the whole request: the prompt (or first denoising step) once, and the mean decoded token (or later
/// step).
struct LayerTime {
    std::vector<LayerPart> prefill, decode;

    [[nodiscard]] sim::Bounded prefill_total() const;
    [[nodiscard]] sim::Bounded decode_total() const;
};

/// Cycles of a pass whose last position is through as late as a token alone, behind all others.
[[nodiscard]] std::vector<LayerPart> pipelined(std::vector<LayerPart> const& last, Following const& before);
/// The same where what the network sets is an interval: `low` and `high` are all others at its ends.
[[nodiscard]] std::vector<LayerPart> pipelined(std::vector<LayerPart> const& last, Following const& before, double low,
                                               double high, sim::BoundKinds kinds);

/// Contexts at which a decoded token is simulated between input and input + output, and the weight of each in the mean:
/// the trapezoid rule over all of them up to `most` generated tokens, over that many and one evenly spaced ones beyond
/// (between them every cost obeys a recurrence with steps of whole flits per key). Weights sum to 1; the mean of a
/// linear cost is its middle.
struct Sample {
    std::int64_t context = 0;
    double weight = 0.0;
};
[[nodiscard]] std::vector<Sample> sampled_contexts(std::int64_t input, std::int64_t output, std::int64_t most);

/// Tokens a pass carries: the prompt, or all of a diffusion model's sequence.
[[nodiscard]] std::int64_t prompt_tokens(Design const& design);

/// Diffusion: positions that a step computes which is not the first of its block, mean over the blocks.
[[nodiscard]] double cached_queries(Design const& design);
/// The same, mean over all passes after the first. A pass costs so much a position, so its mean is that of the mean.
[[nodiscard]] double later_queries(Design const& design);

/// What is behind the flits that a simulated FIFO may hold counts for no more.
[[nodiscard]] sim::noc::RouterTiming router_timing(MachineConstants const& machine, Design const& design);

}  // namespace pimdse::models::cim_mesh
