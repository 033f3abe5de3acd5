#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/placement/partition.hpp"
#include "sim/base/bounded.hpp"

namespace pimdse::models::cim_mesh {

/// Times of a whole request, s.
struct RequestTime {
    double reprogram_first = 0.0;  ///< LoRA of the first layer, before anything runs
    sim::Bounded reprogram_later;  ///< what does not hide under the layer before
    sim::Bounded prefill;          ///< all layers
    sim::Bounded ttft;
    sim::Bounded itl;
    sim::Bounded latency;
    sim::Bounded at_work;  ///< latency without reprogramming
    sim::Bounded tokens_per_second;
};

/// Seconds to reprogram the adapters of one layer.
[[nodiscard]] double reprogram_time(MachineConstants const& machine, Design const& design, Partition const& partition);

/// Composes layers and tokens: `prefill` and `decode` are cycles of one layer for the prompt and for the mean token
/// (input + output/2). A diffusion model runs `output` steps over the whole sequence; pass its step as both.
[[nodiscard]] RequestTime compose(MachineConstants const& machine, Design const& design, Partition const& partition,
                                  sim::Bounded const& prefill, sim::Bounded const& decode);

/// What `f` of numbers is at their values and at both ends, where it grows with all of them together.
template <class F, class... Numbers>
[[nodiscard]] sim::Bounded growing(F const& f, Numbers const&... numbers) {
    sim::BoundKinds kinds = sim::Bound::proved;
    ((kinds = kinds.weaker(numbers.kinds)), ...);
    return {f(numbers.value...), f(numbers.low...), f(numbers.high...), kinds};
}

}  // namespace pimdse::models::cim_mesh
