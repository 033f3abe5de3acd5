#pragma once

#include "models/umdam/ledger.hpp"
#include "models/umdam/schedule.hpp"
#include "models/umdam/serving.hpp"
#include "sim/base/memo.hpp"
#include "sim/serving/step.hpp"

#include <compare>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <vector>

namespace pimdse::models::umdam {

/// A part of a step: its time, a lower bound of its time at cycle level, and its work.
struct Spending {
    double seconds = 0.0, min_seconds = 0.0;
    UnitWork work;

    Spending& operator+=(Spending const& other);
    [[nodiscard]] Spending times(double n) const;
    /// Adds a time that is certain, without work [s].
    void wait(double certain) { seconds += certain, min_seconds += certain; }
    /// Takes the time off that another part hides.
    void hide(double time, double min_time) { seconds -= time, min_seconds -= min_time; }
};

/// Positions that one unit multiplies together with the weights of all layers, or of the LM head.
struct Multiplied {
    std::int64_t positions = 0;
    bool head = false, in_banks = false;
    auto operator<=>(Multiplied const&) const = default;
};

/// A part of a prompt that the units share: the NPU multiplies its first `on_npu` positions and the banks the others.
struct SharedChunk {
    std::int64_t tokens = 0, cached = 0, on_npu = 0;
    bool attends_in_banks = false;  ///< positions that the banks multiply, or those behind whole blocks
    auto operator<=>(SharedChunk const&) const = default;
};

/// Attention of a part of a prompt in all layers.
struct ChunkAttention {
    Spending npu, banks;
    double turns = 0.0;  ///< of the banks
};

/// Attention of one decoding sequence in all layers, on either unit, and its softmax on the NPU.
struct SequenceAttention {
    Spending npu, banks, softmax;

    SequenceAttention& operator+=(SequenceAttention const& other);
};

/// Costs of the parts of which steps consist, by the laws of a request (serving.hpp), each computed once. At fidelity
/// cycle, every part begins just after a refresh. Thread-safe.
class StepParts {
  public:
    /// `system` is that of one request (batch = 1) and lives longer, as does `prepared`.
    StepParts(Prepared const& prepared, System const& system, Fidelity fidelity);

    /// Products with weights; on the NPU with moved weights, if the banks have another layout. A skipped LM head takes
    /// nothing.
    [[nodiscard]] Spending const& products(Multiplied const& multiplied) const;
    /// Moves the weights of the LM head to the layout of the NPU.
    [[nodiscard]] Spending const& moved_head() const { return moved_head_; }
    /// Writes keys and values of `tokens` consecutive positions, and of one position of one sequence.
    [[nodiscard]] Spending const& written(std::int64_t tokens) const;
    [[nodiscard]] Spending const& written_token() const { return written_token_; }
    /// Norms of `tokens` positions, and the softmax of a part of a prompt.
    [[nodiscard]] Spending norms(std::int64_t tokens) const;
    [[nodiscard]] Spending softmax(sim::serving::PromptChunk const& chunk) const;
    /// States of a part of a prompt, and of one decoding sequence; nothing without layers that have them.
    [[nodiscard]] Spending states(sim::serving::PromptChunk const& chunk) const;
    [[nodiscard]] Spending const& token_states() const { return token_states_; }
    [[nodiscard]] ChunkAttention const& chunk_attention(SharedChunk const& chunk) const;
    /// Sum over decoding sequences.
    [[nodiscard]] SequenceAttention sequence_attention(std::vector<std::int64_t> const& contexts) const;

    /// What the schedule of `concurrency = scheduled` hides in the decode of these sequences, if the banks multiply:
    /// the estimate, and in `min_seconds` the most that it hides from a lower bound. Otherwise nothing.
    [[nodiscard]] Spending hidden(std::vector<std::int64_t> const& contexts, bool attends_in_banks) const;

    [[nodiscard]] System const& system() const { return prototype_.system; }
    [[nodiscard]] EnergyLaw const& energy() const { return energy_; }
    [[nodiscard]] Serving const& serving() const { return prototype_; }

  private:
    /// Decoding sequences whose products the banks execute together.
    struct SequenceSet {
        std::int64_t sequences = 0;
        bool attends_in_banks = false;
        auto operator<=>(SequenceSet const&) const = default;
    };

    [[nodiscard]] Spending spending_of(Cost const& cost) const;
    [[nodiscard]] Spending spending_of(Multiplied const& multiplied) const;
    [[nodiscard]] Spending softmax(std::int64_t first, std::int64_t last) const;
    /// A request of `sequences` sequences that decode in the banks.
    [[nodiscard]] Serving decoding(std::int64_t sequences, bool attends_in_banks) const;
    [[nodiscard]] StepOverlap overlap_of(SequenceSet const& set) const;
    [[nodiscard]] ChunkAttention attention_of(SharedChunk const& chunk) const;
    [[nodiscard]] SequenceAttention attention_of(Serving const& serving, std::int64_t context) const;
    void attend_to(std::int64_t context) const;

    Serving prototype_;  ///< of one request; copied for each computation
    EnergyLaw energy_;
    bool attends_on_npu_ = false, attends_in_banks_ = false;  ///< whether a sequence may
    Spending moved_head_, written_token_, token_states_;
    sim::Memo<Multiplied, Spending> products_;
    sim::Memo<std::int64_t, Spending> written_;
    sim::Memo<SharedChunk, ChunkAttention> chunks_;
    sim::Memo<SequenceSet, StepOverlap> overlaps_;
    mutable std::shared_mutex guard_;
    mutable std::vector<std::unique_ptr<SequenceAttention const>> sequences_;  ///< by context
};

}  // namespace pimdse::models::umdam
