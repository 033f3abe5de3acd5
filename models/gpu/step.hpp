#pragma once

#include "models/contract/architecture.hpp"
#include "models/gpu/analytic.hpp"
#include "models/gpu/constants.hpp"
#include "models/gpu/design.hpp"
#include "sim/serving/step.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace pimdse::models::gpu {

/// Costs of the steps of a serving engine on one board, from the laws of a pass (pass.hpp): all sequences of a step go
/// through the weights together, each attends to its own keys, and the LM head is computed where a token is sampled. A
/// part of a prompt reads the keys and values before it as well as its own. Diffusion: a step is all denoising steps of
/// a block of every sequence that yields (README.md, Steps of an engine). `batch`, `input` and `output` of the design
/// do not matter. Joules contain the idle power of the board and the host during the step. Preconditions:
/// broken_step_rule is nullopt; `design.model` and `machine` live longer.
class StepCosts {
  public:
    StepCosts(Design const& design, MachineConstants const& machine);
    [[nodiscard]] sim::serving::StepCost one(sim::serving::StepWork const& work) const;
    /// As StepLaw::many. Takes constant time per step while no window is exceeded and attention is not latent.
    void many(sim::serving::StepWork const& first, std::span<sim::serving::StepCost> costs) const;
    [[nodiscard]] double idle_watts() const { return idle_; }  ///< board and host between steps

  private:
    /// Sums over the sequences of a step, in the layers of one kind; whole numbers.
    struct Attended {
        double products = 0.0;   ///< multiply-accumulates of one layer
        double positions = 0.0;  ///< whose keys and values are read or written
    };
    struct Kind {
        LanguageModel const* alike = nullptr;
        std::vector<WeightMatrix> matrices;
        double position_bytes = 0.0;
    };
    /// Positions of the sequences that a denoising pass computes.
    using Denoised = std::vector<PassShape>;
    [[nodiscard]] Attended attended(LanguageModel const& alike, sim::serving::StepWork const& work) const;
    [[nodiscard]] bool grows_linearly(double longest) const;
    [[nodiscard]] PassWork work_without_attention(double tokens, std::int64_t yielding) const;
    void add_attention(Kind const& kind, Attended const& attended, PassWork& to) const;
    [[nodiscard]] Denoised first_pass(sim::serving::StepWork const& work) const;
    [[nodiscard]] Denoised later_passes(sim::serving::StepWork const& work) const;
    [[nodiscard]] PassCost denoising(Denoised const& sequences, std::int64_t yielding) const;
    [[nodiscard]] sim::serving::StepCost cost_of(PassCost const& cost) const;
    [[nodiscard]] sim::serving::StepCost block(sim::serving::StepWork const& work) const;
    void many_blocks(sim::serving::StepWork const& first, std::span<sim::serving::StepCost> costs) const;
    void many_one_by_one(sim::serving::StepWork work, std::span<sim::serving::StepCost> costs) const;

    Design design_;
    MachineConstants const* machine_;
    Roof roof_;
    std::vector<Kind> kinds_;
    double idle_;
};

/// Why the steps of a design are not modelled: proposed tokens, and blocks of one token. nullopt if they are.
[[nodiscard]] std::optional<Infeasible> broken_step_rule(Design const& design);

/// The board as an engine. Its cache is what the weights leave of the memory that programs use; every layer keeps every
/// position, also with a window, because blocks of the cache are shared by all layers. With diffusion, the board has
/// room for the logits of `batch` sequences, the most of a step. Its only rule is broken_step_rule; the model of the
/// design and `machine` live longer than the engine.
[[nodiscard]] std::variant<ServiceEngine, Infeasible> service_engine(Design const& design,
                                                                     MachineConstants const& machine);

}  // namespace pimdse::models::gpu
