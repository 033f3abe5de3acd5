#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/placement/partition.hpp"
#include "sim/base/bounded.hpp"

namespace pimdse::models::cim_mesh {

/// What a pass takes, cycles: one layer in the first pass (the prompt, or the first denoising step) and in the mean
/// later one, and the LM head.
struct PassCycles {
    sim::Bounded first, later;
    double head = 0.0;
};

/// Times of a whole batch, s. Its requests follow each other through the layers, so that a pass of one request is in
/// each layer once, and a layer at work has one request.
struct RequestTime {
    double reprogram_first = 0.0;  ///< LoRA of the first layer, before anything runs
    sim::Bounded reprogram_later;  ///< what does not hide under the layer before
    sim::Bounded prefill;          ///< first pass of one request, all layers
    double head = 0.0;             ///< the LM head in one pass of one request
    sim::Bounded behind;           ///< first passes that follow the first request's
    sim::Bounded round;            ///< one later pass of every request
    double waiting = 0.0;          ///< of a round: the request waits for the others
    sim::Bounded first_ttft;       ///< until the first request of the batch has its first token
    sim::Bounded ttft;             ///< until every request of the batch has its first token
    sim::Bounded itl;              ///< does not apply to a single token
    sim::Bounded latency;
    sim::Bounded rounds;           ///< all later passes
    sim::Bounded prompts_at_work;  ///< layer-seconds of first passes of all requests
    sim::Bounded later_at_work;    ///< the same of later passes
    double passes = 0.0;           ///< later ones of a request
};

/// Seconds to reprogram the adapters of one layer.
[[nodiscard]] double reprogram_time(MachineConstants const& machine, Design const& design, Partition const& partition);

/// Composes layers, passes and requests.
[[nodiscard]] RequestTime compose(MachineConstants const& machine, Design const& design, Partition const& partition,
                                  PassCycles const& pass);

/// What `f` of numbers is at their values and at both ends, where it grows with all of them together.
template <class F, class... Numbers>
[[nodiscard]] sim::Bounded growing(F const& f, Numbers const&... numbers) {
    sim::BoundKinds kinds = sim::Bound::proved;
    ((kinds = kinds.weaker(numbers.kinds)), ...);
    return {f(numbers.value...), f(numbers.low...), f(numbers.high...), kinds};
}

}  // namespace pimdse::models::cim_mesh
