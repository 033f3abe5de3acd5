#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/placement/partition.hpp"

namespace pimdse::models::cim_mesh {

/// One token through one layer in the decode phase, cycles.
struct DecodeTime {
    double partial_sums = 0.0;  ///< hops of the column reductions
    double key_stream = 0.0;    ///< keys and values streamed past the heads
    double key_distance = 0.0;  ///< way to their cyclic places
    double softmax = 0.0;
    double adapters = 0.0;
    double crossbars = 0.0;

    [[nodiscard]] double total() const {
        return partial_sums + key_stream + key_distance + softmax + adapters + crossbars;
    }
};

/// A prompt through one layer, cycles.
struct PrefillTime {
    double vectors = 0.0;  ///< occupancy of the busiest router by partial sums
    double adapters = 0.0;
    double attention = 0.0;  ///< per (query, key) pair

    [[nodiscard]] double total() const { return vectors + adapters + attention; }
};

/// The closed form of the serial schedule (README.md, Latency), generalised beyond the published machine.
class ClosedForm {
  public:
    ClosedForm(Machine const& machine, Design const& design, Partition const& partition);

    /// Flit times of one C-wide vector over a link, stretched if the FIFO is shorter than the credit round trip.
    [[nodiscard]] double vector_transfer() const;
    /// One store-and-forward hop: transfer and service.
    [[nodiscard]] double hop() const { return vector_transfer() + machine_.hop_service; }
    [[nodiscard]] double key_step() const;
    [[nodiscard]] double adapters_per_token() const;
    [[nodiscard]] double pair_cost() const;

    [[nodiscard]] DecodeTime decode(double context) const;
    [[nodiscard]] PrefillTime prefill(double tokens) const;

  private:
    Machine const& machine_;
    Design const& design_;
    Partition const& partition_;
};

/// Times of a whole request, s.
struct RequestTime {
    double reprogram_first = 0.0;  ///< LoRA of the first layer, before anything runs
    double reprogram_later = 0.0;  ///< what does not hide under the layer before
    double prefill = 0.0;          ///< all layers
    double ttft = 0.0;
    double itl = 0.0;
    double latency = 0.0;
    double tokens_per_second = 0.0;
};

/// Seconds to reprogram the adapters of one layer.
[[nodiscard]] double reprogram_time(Machine const& machine, Design const& design, Partition const& partition);

/// Composes layers and tokens: `prefill` and `decode` are cycles of one layer for the prompt and for the mean token
/// (input + output/2). A diffusion model runs `output` steps over the whole sequence; pass its step as both.
[[nodiscard]] RequestTime compose(Machine const& machine, Design const& design, Partition const& partition,
                                  double prefill, double decode);

}  // namespace pimdse::models::cim_mesh
