#pragma once

#include "models/contract/service_engine.hpp"
#include "models/upmem/costed_plan.hpp"
#include "models/upmem/pass_plan.hpp"
#include "sim/serving/step.hpp"

#include <compare>
#include <vector>

/// What passes through a model take on the DPUs: those of the steps of an engine, and of a part of a machine file.
namespace pimdse::models::upmem {

/// Sets what the MRAM keeps of sequences beside the weights.
void set_cache(ServiceEngine& engine, Prepared const& prepared, Design const& design);

/// Time [s] and energy of launches.
struct DpuCost {
    sim::Bounded seconds;
    EnergyByRow joules{};

    DpuCost& operator+=(DpuCost const& more);
    [[nodiscard]] DpuCost times(double count) const;
};

/// Costs of passes of the model of a design. Thread-safe; `prepared` and the model live longer.
class DpuPasses {
  public:
    DpuPasses(Prepared const& prepared, Design const& design, Fidelity fidelity);

    /// `tokens` go together, with as many positions of every prompt as a batch of these prompts takes at once, and the
    /// rest of the prompts after them. `heads`: positions for which the LM head is computed.
    [[nodiscard]] DpuCost of(std::vector<NewPositions> const& tokens, std::vector<NewPositions> prompts,
                             std::int64_t heads) const;
    [[nodiscard]] DpuCost of(sim::serving::StepWork const& work) const;

  private:
    /// What the cost of the launches of attention depends on, besides the design; the work of the host comes on top.
    struct AttentionKey {
        std::size_t kind = 0;
        std::int64_t rows = 0, queries = 0, added = 0;
        auto operator<=>(AttentionKey const&) const = default;
    };
    /// Positions in the matrices of all layers, or in the LM head.
    struct PositionsKey {
        bool head = false;
        std::int64_t positions = 0;
        auto operator<=>(PositionsKey const&) const = default;
    };
    [[nodiscard]] DpuCost of_pass(std::vector<NewPositions> const& pass, std::int64_t sequences) const;
    [[nodiscard]] DpuCost of_positions(PositionsKey const& positions) const;
    [[nodiscard]] DpuCost attention(AttentionKey const& key) const;
    [[nodiscard]] DpuCost products(PositionsKey const& key) const;
    [[nodiscard]] DpuCost of_plan(Plan const& plan) const;

    Prepared const& p_;
    Design d_;
    std::vector<AlikeLayers> kinds_;
    LaunchCosts launches_;
    DpuCost operation_;  // of one operation of the host
    sim::Memo<PositionsKey, DpuCost> positions_;
    sim::Memo<AttentionKey, DpuCost> attention_;
};

}  // namespace pimdse::models::upmem
