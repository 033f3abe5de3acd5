#pragma once

#include "models/cim_mesh/placed_design.hpp"
#include "models/cim_mesh/step.hpp"
#include "models/text/part.hpp"
#include "sim/base/memo.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::models::cim_mesh {

/// A mesh at a point. What requests ask are equal passes of all their sequences; what engines ask are steps, on a mesh
/// for any requests.
class MeshPart : public text::PartLaw {
  public:
    /// `prepared` and the models of the design live longer.
    MeshPart(Prepared const& prepared, Design design, Fidelity fidelity);

    [[nodiscard]] text::PartCost pass(text::WholePass const& pass) const override;
    /// The first step of a diffusion request finds the layers empty, its later ones follow each other.
    [[nodiscard]] BesidePasses beside_passes(text::LlmRequest const& request) const override;
    [[nodiscard]] std::optional<Infeasible> broken_step_rule() const override;
    [[nodiscard]] std::optional<sim::serving::StepCost> step(sim::serving::StepWork const& work,
                                                             bool least) const override;
    [[nodiscard]] std::vector<Share> areas() const override;
    void add_rest(Standby& to) const override;
    void set_engine(ServiceEngine& engine) const override;
    [[nodiscard]] std::optional<Infeasible> broken_rule(text::LlmRequest const& request) const override;
    /// Weights are as wide as values, in the format of that width or, as these may be uncertain and drawn, of the
    /// shipped one.
    [[nodiscard]] std::optional<double> weight_bytes(text::LlmRequest const& request) const override;
    void refine(RequestResult& common, text::Result const& request) const override;
    [[nodiscard]] Metrics metrics(text::Result const& result, RequestResult const& common) const override;

    bool explain(std::string const& phase, std::vector<double> const& amounts, Breakdown& to) const override;
    /// States of the compute tiles of every layer from the first weight or LoRA word to the first decoded token. Layers
    /// of a kind follow each other.
    [[nodiscard]] Trace trace() const override;
    /// Of a decoded token at the mean context.
    [[nodiscard]] FlowGraph flow_graph() const override;
    /// What a decoded token at the mean context does in one layer with spanning trees (`schedule = tree`): messages and
    /// computing units, stage after stage (README.md, Program).
    [[nodiscard]] std::string network_program() const override;

    [[nodiscard]] MachineConstants const& machine() const { return prepared_.machine; }
    /// The design that is asked for, and its kinds of layers, each with a design of its own.
    [[nodiscard]] Design const& asked() const { return design_; }
    [[nodiscard]] PlacedDesign const& on_mesh() const { return on_mesh_; }

  private:
    /// A pass of every sequence of a batch.
    struct BatchPass {
        std::vector<PlacedKind::Pass> kinds;
        BatchPasses times;
        sim::Bounded round{};
        EnergyByRow joules{};             ///< of events
        double below = 0.0, above = 0.0;  ///< J in sum that they may take less and more at cycle level
    };
    struct ShapeKey {
        double queries, first, last, heads;
        auto operator<=>(ShapeKey const&) const = default;
    };
    struct Steps {
        PlacedDesign placed;
        std::optional<MeshSteps> costs;
    };
    using Kinds = std::vector<std::unique_ptr<PlacedKind>>;

    /// None if a rule is broken.
    [[nodiscard]] Kinds const& kinds() const;
    [[nodiscard]] BatchPass const& at(PassShape const& shape) const;
    [[nodiscard]] BatchPass computed(PassShape const& shape) const;
    /// The first pass of the request; the mean later one, by kind of layers.
    [[nodiscard]] BatchPass const& first() const;
    [[nodiscard]] std::vector<PlacedKind::Pass> later() const;
    /// A round, or the mean of rounds of tokens at several contexts: that of their mean times unless what is longest
    /// changes between the first and the last of them.
    [[nodiscard]] sim::Bounded round_of(PassShape const& shape, BatchPasses const& mean) const;
    /// `fills`: the layers are empty before the first request, and adapters are written.
    [[nodiscard]] text::PartCost cost_of(BatchPass const& batch, bool fills) const;
    /// Precondition: cim_mesh::broken_step_rule is nullopt.
    [[nodiscard]] Steps const& steps() const;
    /// Of a machine with another unit for the other phase, and of denoised blocks. Engines ask for the sum of the
    /// joules alone, whatever the row.
    [[nodiscard]] text::PartCost of_step(text::WholePass const& pass) const;
    /// What is said of a decoded token; throws InputError if a pass is another one.
    void expect_token() const;
    [[nodiscard]] bool is_first(std::string const& phase) const;

    Prepared const& prepared_;
    Design design_;
    Fidelity fidelity_;
    PlacedDesign on_mesh_;
    sim::Memo<ShapeKey, BatchPass> passes_;
    mutable std::once_flag asked_for_kinds_, asked_for_steps_;
    mutable Kinds kinds_;
    mutable Steps steps_;
};

}  // namespace pimdse::models::cim_mesh
