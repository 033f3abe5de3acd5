#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/layer/counts.hpp"
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
[[nodiscard]] std::vector<LayerPart> pipelined(std::vector<LayerPart> const& last, Following const& before,
                                               double lower, double upper, sim::BoundKinds kinds);

/// Contexts at which a decoded token is simulated between input and input + output, and the weight of each in the mean:
/// the trapezoid rule over all of them up to `most` generated tokens, over that many and one evenly spaced ones beyond
/// (between them every cost obeys a recurrence with steps of whole flits per key). Weights sum to 1; the mean of a
/// linear cost is its middle.
struct Sample {
    std::int64_t context = 0;
    double weight = 0.0;
};
[[nodiscard]] std::vector<Sample> sampled_contexts(std::int64_t input, std::int64_t output, std::int64_t max);

/// Tokens a pass carries: the prompt, or all of a diffusion model's sequence.
[[nodiscard]] std::int64_t prompt_tokens(Design const& design);

/// Diffusion: positions that a step computes which is not the first of its block, mean over the blocks.
[[nodiscard]] double cached_queries(Design const& design);
/// The same, mean over all passes after the first. A pass costs so much a position, so its mean is that of the mean.
[[nodiscard]] double later_queries(Design const& design);

/// What is behind the flits that a simulated FIFO may hold counts for no more.
[[nodiscard]] sim::noc::RouterTiming router_timing(MachineConstants const& machine, Design const& design);

/// One token through one layer in the decode phase, cycles.
struct DecodeTime {
    double partial_sums = 0.0;  ///< hops of the column reductions, borders included
    double routes = 0.0;        ///< last sums to hubs, hubs to crossbars, a layer's share of the walk back
    double key_stream = 0.0;    ///< keys and values streamed past the heads
    double key_distance = 0.0;  ///< way to their cyclic places
    double softmax = 0.0;
    double adapters = 0.0;
    double crossbars = 0.0;

    [[nodiscard]] double total() const {
        return partial_sums + routes + key_stream + key_distance + softmax + adapters + crossbars;
    }
};

/// A prompt, or a denoising step, through one layer, cycles: the latency of its last token, and those before it at the
/// pace of what they keep busy.
struct PrefillTime {
    double fill = 0.0;
    Following before;

    [[nodiscard]] double total() const { return fill + before.total(); }
};

/// What a router needs for a vector, cycles: service times, whatever the mesh.
class Services {
  public:
    Services(MachineConstants const& machine, Design const& design, Partition const& partition);

    /// Flit times of one C-wide vector over a link, stretched if the FIFO is shorter than the credit round trip.
    [[nodiscard]] double vector_transfer() const { return transfer_of(1); }
    /// The same for one of `pieces` of a vector.
    [[nodiscard]] double transfer_of(std::int64_t pieces) const;
    /// Cycles of the multipliers for a vector of an addition or a product.
    [[nodiscard]] double arithmetic() const;
    /// One store-and-forward hop of a partial sum: transfer or, if it takes longer, the additions, and service.
    [[nodiscard]] double hop() const;
    /// One key and its value: streamed, or multiplied if that takes longer.
    [[nodiscard]] double key_step() const;
    /// Slices of queries that a slice of keys serves while it passes once: 1 unless a group shares keys.
    [[nodiscard]] double queries_per_key() const;
    [[nodiscard]] double adapters_per_token() const;

  protected:
    MachineConstants const& machine_;
    Design const& design_;
    Partition const& partition_;
};

/// The closed form of the serial schedule (README.md, Latency): counts of the placed layer times service times.
class ClosedForm : public Services {
  public:
    ClosedForm(MachineConstants const& machine, Design const& design, Partition const& partition,
               MeshCounts const& counts);

    [[nodiscard]] DecodeTime decode(double context) const;
    /// A causal prompt of so many tokens.
    [[nodiscard]] PrefillTime prefill(std::int64_t tokens) const;
    /// `queries` positions, a mean, that follow each other and attend to `keys` each.
    [[nodiscard]] PrefillTime pass(double queries, std::int64_t keys) const;
    /// What a token of a prompt keeps busy; vectors: cycles of those that pass the busiest router.
    [[nodiscard]] PromptUnits units(double vectors) const;
    [[nodiscard]] HeldQueries const& held() const { return held_; }
    /// Vector hops of the busiest router for one token of a prompt.
    [[nodiscard]] double prompt_hops() const;
    /// Cycles of ways of so many hops.
    [[nodiscard]] double route(double hops) const;

  private:
    /// One hop where every router sums a piece of the vector only.
    [[nodiscard]] double scattered_hop() const;
    [[nodiscard]] double key_distance(double context) const;
    [[nodiscard]] double fill() const;

    MeshCounts const& counts_;
    HeldQueries held_;
};

/// The LM head of one pass, cycles: its columns lie on tiles of their own, one after the other along the ribbon, around
/// a hub in their middle. serial: column after column, as those of a layer; tree: all at once. In closed form at every
/// fidelity. 0 where the head takes no time.
[[nodiscard]] double head_cycles(MachineConstants const& machine, Design const& design, Partition const& partition);

}  // namespace pimdse::models::cim_mesh
