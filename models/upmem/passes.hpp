#pragma once

#include "models/contract/service_engine.hpp"
#include "models/upmem/costed_plan.hpp"
#include "models/upmem/pass_plan.hpp"

#include <compare>
#include <vector>

/// What passes through a model take on the DPUs.
namespace pimdse::models::upmem {

/// Sets what the MRAM keeps of sequences beside the weights.
void set_cache(ServiceEngine& engine, Prepared const& prepared, Design const& design);

/// Costs of passes of the model of a design. Thread-safe; `prepared` and the model live longer.
class DpuPasses {
  public:
    DpuPasses(Prepared const& prepared, Design const& design, Fidelity fidelity);

    /// `tokens` go together, with as many positions of every prompt as a batch of these prompts takes at once, and the
    /// rest of the prompts after them. `heads`: positions for which the LM head is computed.
    [[nodiscard]] text::PartCost of(std::vector<NewPositions> tokens, std::vector<NewPositions> prompts,
                                    std::int64_t heads) const;
    /// The mean of passes, each with so many `heads`.
    [[nodiscard]] text::PartCost mean_of(PassRun const& run, std::int64_t heads) const;
    /// What sends the executable before everything.
    [[nodiscard]] text::PartCost loading() const { return of_plan({.pipelined = false}); }
    /// Of all ranks.
    [[nodiscard]] Standby const& rest() const { return launches_.powers.rest; }

  private:
    /// What the cost of the launches of attention depends on, besides the design; the work of the host comes on top.
    struct AttentionKey {
        std::size_t kind = 0;
        std::int64_t rows = 0, queries = 0, added = 0;
        auto operator<=>(AttentionKey const&) const = default;
    };
    /// Positions in the matrices of all layers, and in the LM head.
    struct MatrixKey {
        std::int64_t positions = 0, heads = 0;
        auto operator<=>(MatrixKey const&) const = default;
    };
    /// All passes of a run so many times, in groups of which each has the mean load of its passes.
    void add_attention(PassRun const& run, std::int64_t sequences, double times, text::PartCost& to) const;
    [[nodiscard]] text::PartCost const& of_matrices(MatrixKey const& positions) const;
    [[nodiscard]] text::PartCost attention(AttentionKey const& key) const;
    [[nodiscard]] text::PartCost matrices(MatrixKey const& key) const;
    [[nodiscard]] text::PartCost of_plan(Plan const& plan) const { return CostedPlan(launches_, plan).sums(); }

    Prepared const& p_;
    Design d_;
    std::vector<AlikeLayers> kinds_;
    LaunchCosts launches_;
    text::PartCost operation_;  // of one operation of the host
    sim::Memo<MatrixKey, text::PartCost> matrices_;
    sim::Memo<AttentionKey, text::PartCost> attention_;
};

}  // namespace pimdse::models::upmem
