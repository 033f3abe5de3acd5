#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/service_engine.hpp"
#include "models/economy/economy.hpp"
#include "models/text/model_passes.hpp"
#include "models/text/prepared.hpp"
#include "sim/serving/step.hpp"

#include <filesystem>
#include <span>
#include <variant>
#include <vector>

/// Machines that are text files.
namespace pimdse::models::text {

/// The machine of a file (docs/own_machine.md), alone and in groups of devices. Its member `files` has every file that
/// was read. `kept`: texts that are taken instead of the files of these paths, as a result file keeps them. Throws
/// InputError with every mistake, with file, line and suggestion.
[[nodiscard]] Architecture architecture(std::filesystem::path const& file, std::vector<SourceFile> const& kept = {});

/// What the machine does for the request of a point, or the rule that it breaks. Fills the breakdown if there is one.
[[nodiscard]] std::variant<RequestResult, Infeasible> request_at(Prepared const& prepared, Point point,
                                                                 Fidelity fidelity, economy::Economy const& economy,
                                                                 Breakdown* breakdown);
/// The machine at a point as an engine, or the rule that it breaks with every request. Its model is one of those of
/// `prepared`, which lives longer.
[[nodiscard]] std::variant<ServiceEngine, Infeasible> engine_at(Prepared const& prepared, Point point,
                                                                Fidelity fidelity);

/// Costs of the steps of a text machine: of their passes, and of the standing power of machine and host meanwhile.
/// Preconditions: broken_step_rule is nullopt; the models of the design live longer.
class StepCosts {
  public:
    /// `whole_tiles` as of ModelPasses.
    explicit StepCosts(Design design, bool whole_tiles = true);
    StepCosts(StepCosts const&) = delete;
    StepCosts& operator=(StepCosts const&) = delete;
    [[nodiscard]] sim::serving::StepCost one(sim::serving::StepWork const& work) const;
    /// As StepLaw::many.
    void many(sim::serving::StepWork const& first, std::span<sim::serving::StepCost> costs) const;
    /// A lower bound of the seconds of a step at cycle level, whatever else parts may take.
    [[nodiscard]] double min_seconds(sim::serving::StepWork const& work) const;
    [[nodiscard]] Design const& design() const { return design_; }

  private:
    [[nodiscard]] sim::serving::StepCost cost_of(PassCost const& cost) const;

    Design design_;
    CostLaw law_;
    ModelPasses passes_;
    double standing_;
    PartLaw const* whole_ = nullptr;  ///< the part that takes all passes, if there is one
};

/// The machine as an engine. Its cache is what the weights leave of the memory that programs use; every layer keeps
/// every position, also with a window, because blocks of the cache are shared by all layers. A sequence of diffusion
/// takes the logits of its block beside them. Its only rule is broken_step_rule; what was prepared lives longer than
/// the engine.
[[nodiscard]] std::variant<ServiceEngine, Infeasible> service_engine(Design const& design);

}  // namespace pimdse::models::text
