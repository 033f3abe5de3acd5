#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/layer/counts.hpp"
#include "models/cim_mesh/layer/dynamic_products.hpp"
#include "models/cim_mesh/layer/prompt.hpp"
#include "sim/base/bounded.hpp"
#include "sim/noc/network.hpp"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Cycles of one part of the time of a layer.
struct LayerPart {
    std::string_view what;
    sim::Bounded cycles;
    bool settled = false;  ///< independent of the placement
    bool by_unit = false;  ///< what one unit limits: another one may limit the same tokens at another placement
};

using LayerParts = std::vector<LayerPart>;
inline constexpr std::size_t max_parts = 12;  ///< room that is made at once
[[nodiscard]] sim::Bounded sum_of(LayerParts const& parts);

/// What the positions of a pass before its last one take, by the units that limit them.
using Before = std::function<Following(PromptUnits const&)>;

/// Parts of passes of single requests through one layer, whatever their lengths; pure functions that all threads share.
struct LayerPasses {
    /// Sets `parts`, none or those for any other keys, to those of a position alone that attends to `keys` keys.
    std::function<void(std::int64_t keys, LayerParts& parts)> position;
    /// Positions that follow each other: those before the last one, and the last one, which takes `last`.
    std::function<LayerParts(LayerParts const& last, Before const& before)> pipeline;
};

/// The name of the part of activations.
inline constexpr std::string_view activations_part = "activation and product of gate and up";
/// Adds the part of activations, which follows those of the products with weights, if they are counted.
void add_activations(LayerParts& parts, double cycles);

/// Cycles of a pass: `last` is the time of the last position, which takes as long as a token alone, `before` that of
/// all other positions.
[[nodiscard]] LayerParts pipelined(LayerParts const& last, Following const& before);
/// The same with bounds `lower` and `upper` of the total of `before`.
[[nodiscard]] LayerParts pipelined(LayerParts const& last, Following const& before, double lower, double upper,
                                   sim::BoundKinds kinds);

/// Number of tokens of the first pass: the prompt, or with diffusion the whole sequence.
[[nodiscard]] std::int64_t prompt_tokens(Design const& design);

/// Diffusion: number of positions of a pass after the first one, mean over these passes. The cost of a pass is linear
/// in its positions, so that the mean cost is that of the mean number.
[[nodiscard]] double later_queries(Design const& design);

/// Timing of the routers of a design. FIFOs are limited to the largest size that the simulation supports.
[[nodiscard]] sim::noc::RouterTiming router_timing(MachineConstants const& machine, Design const& design);

/// Cycles of one token in one layer in the decode phase.
struct DecodeTime {
    double partial_sums = 0.0;  ///< hops of the column reductions, including borders
    double routes = 0.0;        ///< last sums to hubs, hubs to crossbars, share of a layer in the route back
    double key_stream = 0.0;    ///< keys and values streamed past the heads, or multiplied elsewhere
    double key_distance = 0.0;  ///< routes from the cyclic places of keys and values, or to them
    double softmax = 0.0;
    double adapters = 0.0;
    double crossbars = 0.0;
    double activations = 0.0;  ///< activation, product of gate and up, as far as no sum hides them; 0 unless counted

    [[nodiscard]] double total() const {
        return partial_sums + routes + key_stream + key_distance + softmax + adapters + crossbars + activations;
    }
};

/// Cycles of a prompt, or a denoising step, in one layer: the latency of its last token, and the earlier tokens at the
/// pace of the slowest unit.
struct PrefillTime {
    double fill = 0.0;
    Following before;

    [[nodiscard]] double total() const { return fill + before.total(); }
};

/// Service times of a router for a vector, in cycles; independent of the mesh.
class Services {
  public:
    Services(MachineConstants const& machine, Design const& design, Partition const& partition);

    /// Transfer of a vector as wide as a crossbar over a link, stretched if the FIFO is shorter than the credit round
    /// trip.
    [[nodiscard]] double vector_transfer() const { return transfer_of(1); }
    /// Transfer of one of `pieces` equal pieces of a vector.
    [[nodiscard]] double transfer_of(std::int64_t pieces) const;
    /// Time of the multipliers for an addition or a product of a vector.
    [[nodiscard]] double arithmetic() const;
    /// One store-and-forward hop of a partial sum: the longer of transfer and additions, plus the service.
    [[nodiscard]] double hop() const;
    /// One key and its value: the longer of their transfer and their products.
    [[nodiscard]] double key_step() const;
    /// Number of slices of queries that a slice of keys serves when it is streamed once: 1 unless a group shares keys.
    [[nodiscard]] double queries_per_key() const;
    [[nodiscard]] double adapters_per_token() const;
    /// Softmax of one score.
    [[nodiscard]] double score() const;
    /// The time by which keys follow each other more slowly over the link between two compute tiles.
    [[nodiscard]] double slower_keys() const;
    /// Cycles of the busiest link for the vectors of a token of a prompt.
    [[nodiscard]] double busiest_link(double flits) const;
    /// Scalar work per key: softmax of the heads of a slice, or of all heads on a shared aggregator. If a head is wider
    /// than a crossbar, its partial scores pass from router to router, are added, and the probability passes back.
    [[nodiscard]] double softmax_per_key() const;
    /// The activation of a vector, element after element.
    [[nodiscard]] double activation() const;
    /// What a token waits for activation and product of gate and up: those of the last column. Other columns do this
    /// in their own routers while the last one is summed, gate while up is summed for `sums` cycles. A shared
    /// aggregator does it for all columns. 0 unless counted.
    [[nodiscard]] double activations(double sums) const;
    /// The same for the router that is busiest with it, per token of a prompt.
    [[nodiscard]] double busiest_activations() const;
    /// `dynamic_products` = shared: one key and its value on the only aggregator, for all queries.
    [[nodiscard]] double shared_key_stream() const;
    [[nodiscard]] double shared_key_products() const;

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

    [[nodiscard]] DecodeTime decode(double context) const { return with_keys(without_keys(), context); }
    /// The parts that do not depend on the context; the same with the others.
    [[nodiscard]] DecodeTime without_keys() const;
    [[nodiscard]] DecodeTime with_keys(DecodeTime time, double context) const;
    /// Softmax of a token that attends to `keys` keys, and the routes of these keys.
    [[nodiscard]] double softmax(double keys) const { return softmax_per_key_ * keys; }
    [[nodiscard]] double key_routes(double keys) const;
    /// A causal prompt of `tokens` tokens.
    [[nodiscard]] PrefillTime prefill(std::int64_t tokens) const;
    /// `queries` positions (a mean number) that follow each other and attend to `keys` keys each.
    [[nodiscard]] PrefillTime pass(double queries, std::int64_t keys) const;
    /// Busy times of units per token of a prompt. `vectors`: cycles of the vectors that pass the busiest router.
    [[nodiscard]] PromptUnits units(double vectors) const;
    [[nodiscard]] HeldQueries const& held() const { return held_; }
    /// Vector hops in the busiest router per token of a prompt.
    [[nodiscard]] double prompt_hops() const;
    /// Attention in place to a number of keys; see DynamicTime.
    [[nodiscard]] DynamicTime in_place(double keys) const;
    /// `dynamic_products` = shared: the additions of a token, all on one aggregator.
    [[nodiscard]] double shared_additions() const;
    /// Cycles of a route of `hops` hops.
    [[nodiscard]] double route(double hops) const;

  private:
    /// One hop if every router sums only a piece of the vector.
    [[nodiscard]] double scattered_hop() const;
    [[nodiscard]] double fill() const;
    /// Flits of a token on the busiest link of a shared aggregator.
    [[nodiscard]] double shared_flits() const;

    MeshCounts const& counts_;
    HeldQueries held_;
    double full_route_;  ///< of keys, if all routers of the pool hold keys
    double softmax_per_key_, key_step_, queries_per_key_;
};

/// Cycles of the LM head for so many positions of a pass. Its columns are placed on separate tiles, one after the other
/// along the ribbon, with a hub in the middle. serial: one column after another, as in a layer; tree: all at once;
/// searched: the faster. In closed form at every fidelity; 0 if the head takes no time.
[[nodiscard]] double head_cycles(MachineConstants const& machine, Design const& design, Partition const& partition,
                                 double positions);
/// Positions of a request for which its first pass computes the LM head, and those of a later one.
[[nodiscard]] double first_heads(Design const& design);
[[nodiscard]] double later_heads(Design const& design);

}  // namespace pimdse::models::cim_mesh
