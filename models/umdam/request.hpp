#pragma once

#include "models/umdam/phases.hpp"

namespace pimdse::models::umdam {

/// A request that is served phase by phase. A copy goes on from where the original is, on other units.
class Request {
  public:
    Request(Prepared const& prepared, System const& system, Fidelity fidelity);

    void choose(Choice choice, Unit unit) { cost_.units[choice] = unit; }
    /// What comes before the first token but for the LM head, on the chosen units.
    void begin();
    /// The LM head, behind it.
    void end_prefill();
    /// What follows the first token.
    void finish();
    [[nodiscard]] RequestCost const& cost() const { return cost_; }
    /// s of attention in decode, with the switches of mode it makes necessary; all refreshes may meet it, or none.
    [[nodiscard]] sim::Bounded attention_alone() const;

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
    static constexpr StepParts steps_behind{Part::decode_weights, Part::decode_head, Part::decode_attention,
                                            Part::decode_kv, Part::decode_vector};

    Cost& part(Part part) { return cost_.parts[static_cast<std::size_t>(part)]; }
    [[nodiscard]] double kv_bytes() const;
    [[nodiscard]] double queries_per_key() const;
    [[nodiscard]] Cost relayout() const;
    void measure_streams();
    void foresee_weights(double layer);
    [[nodiscard]] Cost product(Matrix const& m, double rows, double steps = 1.0) const;
    [[nodiscard]] Cost vector_work(double tokens, double scores) const;
    void switch_modes(Part part, double turns);
    [[nodiscard]] double launches(double passes) const { return passes * layers_ * d_.design.layer_overhead; }

    void prefill_on_npu();
    void prefill_in_banks();
    void head(Matrix const& m);

    void decode();
    [[nodiscard]] Cost decode_product(Matrix const& m, double steps);
    [[nodiscard]] Cost decode_attention(double done, double count);
    void share_memory();
    void read_moved_weights();

    void first_of_blocks();
    void steps_of_blocks();
    [[nodiscard]] StepCost step(Step const& s) const;
    void add(StepCost const& cost, StepParts const& to, double times);
    void steps_of_prefixes(double later, double context);
    void later_steps(Step const& s, double times);
    void turns(double blocks, double steps);
    [[nodiscard]] bool denoises_in_banks() const { return in_banks(Choice::denoising); }
    [[nodiscard]] bool in_banks(Choice choice) const { return cost_.units.in_banks(choice); }

    System const& d_;
    MachineConstants const& machine_;
    OperationCosts costs_;
    Fidelity fidelity_;
    sim::Bounded weight_stream_, head_stream_;
    double layers_, batch_, prompt_, steps_, block_;
    RequestCost cost_;
};

}  // namespace pimdse::models::umdam
