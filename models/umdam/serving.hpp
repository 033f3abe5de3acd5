#pragma once

#include "models/umdam/request_cost.hpp"

namespace pimdse::models::umdam {

/// A request as far as it is served: what its phases have in common, and what they have cost so far.
class Serving {
  public:
    Serving(Prepared const& prepared, System const& of, Fidelity at);

    System const& system;
    MachineConstants const& machine;
    Fidelity fidelity;
    OperationCosts costs;
    double layers, batch, prompt;
    double steps;  ///< of decode
    double block;  ///< positions of a block of a diffusion model
    RequestCost cost;
    sim::Bounded head_stream;  ///< B/s of the LM head

    Cost& part(Part part) { return cost.parts[static_cast<std::size_t>(part)]; }
    [[nodiscard]] bool in_banks(Choice choice) const { return cost.units.in_banks(choice); }
    [[nodiscard]] bool takes_turns() const { return system.design.concurrency == Concurrency::exclusive; }
    /// Of one token in one layer.
    [[nodiscard]] double kv_bytes() const;
    [[nodiscard]] double queries_per_key() const;
    /// Tokens of the prompt in blocks that the cubes' rows are full of: of positions, as attention has them, and of
    /// positions of all requests, as products have.
    [[nodiscard]] double whole_blocks() const;
    [[nodiscard]] double whole_rows() const;
    /// All weights from one layout to the other.
    [[nodiscard]] Cost relayout() const;
    /// A matrix of all layers with this many rows of inputs on the NPU, `times` times.
    [[nodiscard]] Cost product(Matrix const& m, double rows, double times = 1.0) const;
    /// Two norms per layer and token, and the softmax of the scores.
    [[nodiscard]] Cost vector_work(double tokens, double scores) const;
    /// A turn of the banks begins and ends with a switch.
    void switch_modes(Part part, double turns);
    /// s of launching all layers in each pass.
    [[nodiscard]] double launches(double passes) const { return passes * layers * system.design.layer_overhead; }

  private:
    void measure_streams();
    void foresee_weights(double layer);

    sim::Bounded weight_stream_;
};

}  // namespace pimdse::models::umdam
