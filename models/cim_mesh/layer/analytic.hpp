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
    ClosedForm(MachineConstants const& machine, Design const& design, Partition const& partition);

    /// Flit times of one C-wide vector over a link, stretched if the FIFO is shorter than the credit round trip.
    [[nodiscard]] double vector_transfer() const;
    /// One store-and-forward hop: transfer and service.
    [[nodiscard]] double hop() const { return vector_transfer() + machine_.hop_service; }
    [[nodiscard]] double key_step() const;
    [[nodiscard]] double adapters_per_token() const;

    [[nodiscard]] DecodeTime decode(double context) const;
    [[nodiscard]] PrefillTime prefill(double tokens) const;

  private:
    [[nodiscard]] double pair_cost() const;

    MachineConstants const& machine_;
    Design const& design_;
    Partition const& partition_;
};

}  // namespace pimdse::models::cim_mesh
