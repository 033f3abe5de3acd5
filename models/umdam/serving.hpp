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

/// From the prompt to the first token, on the chosen units.
class Prefill {
  public:
    explicit Prefill(Serving& serving);

    /// What comes before the LM head, but for attention.
    void layers();
    void attention();
    void head();

  private:
    void head(Matrix const& m);
    void attend_to_whole_blocks();
    void attend_to_rest();
    [[nodiscard]] Part weights_of_rest() const;

    Serving& s_;
    double on_npu_ = 0.0, in_banks_ = 0.0;  ///< tokens that either multiplies, the banks behind the NPU
};

/// Token after token: a step multiplies one vector of each request and attends to all positions before it.
class Decode {
  public:
    explicit Decode(Serving& serving) : s_(serving) {}

    void all_steps();

  private:
    [[nodiscard]] Cost product(Matrix const& m, double steps);
    [[nodiscard]] Cost attention(double done, double count);
    void share_memory();
    void read_moved_weights();

    Serving& s_;
};

/// s of attention in all steps, with the switches of mode it makes necessary; all refreshes may meet it, or none.
[[nodiscard]] sim::Bounded attention_alone(Serving const& serving);

/// Blocks of tokens in denoising steps: each block is a step over all positions and others over what the cache leaves.
class Denoise {
  public:
    explicit Denoise(Serving& serving) : s_(serving) {}

    /// The first step of the first block, which takes the place of a prefill.
    void first();
    void steps_behind();

  private:
    struct Step {
        double queries = 0.0, context = 0.0;
    };
    struct StepParts {
        Part weights, head, attention, kv, vector;
    };
    struct StepCost {
        Cost weights, head, attention, kv, vector;
    };
    static constexpr StepParts first_step{Part::prefill_weights, Part::prefill_head, Part::prefill_attention,
                                          Part::prefill_kv, Part::prefill_vector};
    static constexpr StepParts later_step{Part::decode_weights, Part::decode_head, Part::decode_attention,
                                          Part::decode_kv, Part::decode_vector};

    [[nodiscard]] double context() const;
    [[nodiscard]] StepCost step(Step const& step) const;
    void add(StepCost const& cost, StepParts const& to, double times);
    void steps_of_prefixes(double later);
    void later_steps(Step const& step, double times);
    void turns(double blocks, double steps);
    [[nodiscard]] bool in_banks() const { return s_.in_banks(Choice::denoising); }

    Serving& s_;
};

}  // namespace pimdse::models::umdam
