#pragma once

#include "models/contract/service_engine.hpp"
#include "models/llm/step_passes.hpp"
#include "models/text/cost.hpp"
#include "models/text/prepared.hpp"
#include "sim/serving/step.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace pimdse::models::text {

/// Costs of the steps of a serving engine on a text machine, from the laws of a pass (cost.hpp): all sequences of a
/// step go through the weights together, each attends to its own keys, and the LM head is computed where a token is
/// sampled. A part of a prompt reads the keys and values before it as well as its own. Diffusion: a step is all
/// denoising steps of a block of every sequence that yields. If rules tell prompts and tokens apart, the parts of
/// prompts of a step are a pass of their own before that of its tokens. `batch`, `input` and `output` of the design do
/// not matter. Joules contain the standing power of machine and host during the step. Preconditions: broken_step_rule
/// is nullopt; the models of the design live longer.
class StepCosts {
  public:
    explicit StepCosts(Design design);
    StepCosts(StepCosts const&) = delete;
    StepCosts& operator=(StepCosts const&) = delete;
    [[nodiscard]] sim::serving::StepCost one(sim::serving::StepWork const& work) const;
    /// As StepLaw::many.
    void many(sim::serving::StepWork const& first, std::span<sim::serving::StepCost> costs) const;
    [[nodiscard]] Design const& design() const { return design_; }

  private:
    [[nodiscard]] std::vector<SummedKeys> summed(std::vector<PassShape> const& sequences) const;
    [[nodiscard]] PassCost pass(std::vector<SummedKeys> const& attended, double tokens, double yielding,
                                Phase phase) const;
    [[nodiscard]] PassCost tokens_and_chunks(sim::serving::StepWork const& work) const;
    [[nodiscard]] PassCost denoising(std::vector<PassShape> const& sequences, std::int64_t yielding) const;
    [[nodiscard]] sim::serving::StepCost cost_of(PassCost const& cost) const;
    [[nodiscard]] sim::serving::StepCost block(sim::serving::StepWork const& work) const;

    Design design_;
    CostLaw law_;
    std::vector<LayerKindWork> layers_;
    double standing_;
    bool phases_differ_ = false;  ///< in a rule
};

/// The machine as an engine. Its cache is what the weights leave of the memory that programs use; every layer keeps
/// every position, also with a window, because blocks of the cache are shared by all layers. With diffusion, the
/// machine has room for the logits of `batch` sequences, the most of a step. Its only rule is broken_step_rule; what
/// was prepared lives longer than the engine.
[[nodiscard]] std::variant<ServiceEngine, Infeasible> service_engine(Design const& design);

}  // namespace pimdse::models::text
