#pragma once

#include "models/umdam/serving.hpp"

namespace pimdse::models::umdam {

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
