#pragma once

#include "models/cim_mesh/placed_design.hpp"
#include "models/contract/service_engine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Passes of several requests that follow each other through the layers of all kinds and the LM head, each of which
/// works for one request at a time. It starts empty.
class LayerPipeline {
  public:
    /// `layers`: of each kind, in the order of the layers. `head`: whether the LM head takes time.
    LayerPipeline(std::span<std::size_t const> layers, bool head)
        : layers_(layers.begin(), layers.end()), alike_(layers_.size() == 1 && !head) {
        if (alike_) return;
        std::size_t stages = 1;
        for (auto const count : layers_) stages += count;
        free_.resize(stages);
    }
    /// The next pass: its time in a layer of each kind, and in the LM head, 0 if it does not go there.
    void follow(std::span<double const> times, double head) {
        if (alike_) {
            sum_ += times.front();
            longest_ = std::max(longest_, times.front());
            return;
        }
        double now = 0.0;
        auto at = free_.begin();
        for (std::size_t kind = 0; kind < layers_.size(); ++kind) {
            for (std::size_t i = 0; i < layers_[kind]; ++i, ++at) *at = now = std::max(now, *at) + times[kind];
        }
        if (head > 0.0) *at = now = std::max(now, *at) + head;
        end_ = std::max(end_, now);
    }
    /// The time at which the last pass ends. In layers that are all alike, every pass takes as long in each: whatever
    /// their order, the longest one fills the pipeline.
    [[nodiscard]] double end() const {
        return alike_ ? sum_ + static_cast<double>(layers_.front() - 1) * longest_ : end_;
    }

  private:
    std::vector<std::size_t> layers_;
    bool alike_;
    double sum_ = 0.0, longest_ = 0.0;
    std::vector<double> free_;  // when each layer, and the head, has done its last pass
    double end_ = 0.0;
};

/// Why the steps of a design are not modelled. nullopt if they are: a step needs the same machine whatever requests it
/// serves.
[[nodiscard]] std::optional<Infeasible> broken_step_rule(Design const& design);

/// The design for steps of any requests: one prompt as long as its model allows, so that layers whose windows differ
/// are of several kinds, and `batch` is 1. Feasible if a request of one token and one more is.
[[nodiscard]] PlacedDesign placed_for_steps(Prepared const& prepared, Design design, Fidelity fidelity);

/// Costs of the steps of an engine (README.md, Steps of an engine): of passes of different lengths, which BatchPasses
/// has for equal ones. A step with prompts begins with an empty pipeline of layers, one without them is a round.
/// Thread-safe. Preconditions: broken_step_rule is nullopt, and `placed` is that of placed_for_steps and breaks no
/// rule; it and `machine` live longer.
class MeshSteps {
  public:
    MeshSteps(MachineConstants const& machine, PlacedDesign const& placed, Fidelity fidelity);
    MeshSteps(MeshSteps const&) = delete;
    MeshSteps& operator=(MeshSteps const&) = delete;
    ~MeshSteps();

    /// The value, or an end of the interval in which it lies at cycle level.
    using End = double sim::Bounded::*;
    /// With its joules beyond what the machine draws at rest.
    [[nodiscard]] sim::serving::StepCost cost(sim::serving::StepWork const& work, End end = &sim::Bounded::value) const;

    /// A pass of sequences whose blocks are denoised, of which the first `yielding` compute the LM head for a block.
    /// `fills`: the layers are empty before it, as where sequences begin; otherwise it is a round.
    [[nodiscard]] sim::serving::StepCost denoising(std::span<PassShape const> sequences, std::int64_t yielding,
                                                   bool fills, End end) const;
    /// What it keeps of sequences.
    void set_cache(ServiceEngine& engine) const;

  private:
    struct Kind;
    struct Queue;

    MachineConstants const* machine_;
    std::vector<std::unique_ptr<Kind>> kinds_;
    std::vector<std::size_t> layers_;
    double frequency_ = 1.0;
    double head_ = 0.0;         ///< s of the LM head for a position
    double head_power_ = 0.0;   ///< W while it works
    double head_events_ = 0.0;  ///< J of the events of a position
    double adapter_joules_ = 0.0;
    AdapterSwap swap_;
    std::int64_t adapter_every_ = 0;
};

}  // namespace pimdse::models::cim_mesh
