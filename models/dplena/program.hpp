#pragma once

#include "models/contract/outcome.hpp"
#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pimdse::models::dplena {

/// Cycles by the columns of the paper's tables. `copy` is the half of S_MAP_V_FP that is in none of these columns, and
/// in `stall` no instruction is issued, because the next one waits for a result.
struct Counts {
    std::int64_t vector = 0, scalar = 0, control = 0, copy = 0, stall = 0;

    [[nodiscard]] std::int64_t sum() const { return vector + scalar + control + copy + stall; }
    /// Cycles that a second issue slot executes while the vector unit works.
    [[nodiscard]] std::int64_t beside_vector() const { return scalar + control + copy; }
    Counts& operator+=(Counts const& other);
    friend Counts operator+(Counts a, Counts const& b) { return a += b; }
    friend Counts operator*(std::int64_t times, Counts const& c) {
        return {times * c.vector, times * c.scalar, times * c.control, times * c.copy, times * c.stall};
    }
    bool operator==(Counts const&) const = default;
};

/// Cycles in which instructions wait for results, exactly, until the last result of each piece is there: of all rows of
/// a preloaded group (performance mode), of the pieces of a row (edge mode), and of the tail.
struct Stalls {
    std::int64_t group = 0, row_start = 0, before_probabilities = 0, row_end = 0, tail = 0;
    std::array<std::int64_t, 3> chunk{};  ///< of the work on a chunk in each pass
};

/// Whether the serial order may be faster than fetching ahead, which then uses it: refreshes, row conflicts between
/// prefetches, and writes to a memory with one port can slow it down.
[[nodiscard]] inline bool may_prefer_serial(Design const& d) {
    return d.refresh == Refresh::on || d.outstanding > 1 || d.memories == Memories::unified;
}

/// Number of address registers that the test bench clears before the mask, and again after it.
inline constexpr std::int64_t address_resets = 8;

/// The instruction stream of a design in pieces: the cycles of each piece, without the time of its prefetches. The code
/// is unrolled, so a constant load takes one or two instructions, depending on its value. The pieces are those of the
/// authors' generators, except that loop_hardware removes the address increments ("bumps") of the loops, and passes = 1
/// removes the second fetch.
class Program {
  public:
    Program(Design const& design, InstructionCosts const& costs);

    /// The start of the test bench: bases, resets, the preload of the input mask (with mask_prefetches() prefetches).
    [[nodiscard]] Counts prologue() const;
    /// The settings before the prefetches of one preload of logits at this HBM offset (elements).
    [[nodiscard]] Counts preload_header(std::int64_t offset) const;
    /// The address increments of this number of prefetches.
    [[nodiscard]] Counts prefetch_bumps(std::int64_t prefetches) const;
    /// The instructions before the first pass over row `row` of a preloaded group (edge mode: any row).
    [[nodiscard]] Counts row_start(std::int64_t row) const;
    /// First pass over `vectors` vectors: running maximum and its index.
    [[nodiscard]] Counts maximum_pass(std::int64_t vectors) const;
    /// After the first pass over a chunk or a whole row, with noise: the logit of the chosen token is kept.
    [[nodiscard]] Counts after_maximum() const;
    /// Between the passes: the pointer is reset (performance mode), the running sum is rescaled (passes = 1).
    [[nodiscard]] Counts between_passes(std::int64_t row) const;
    /// Second pass: subtract, exponential, sum.
    [[nodiscard]] Counts sum_pass(std::int64_t vectors) const;
    /// Third pass of plain softmax: probabilities (edge mode: from the logits again), the largest one and its index.
    [[nodiscard]] Counts before_probabilities(std::int64_t row) const;
    [[nodiscard]] Counts probability_pass(std::int64_t vectors) const;
    /// The instructions after each pass over a chunk in edge mode.
    [[nodiscard]] Counts chunk_end() const;
    /// The end of a row: reciprocal and stores.
    [[nodiscard]] Counts row_end() const;
    /// The end of a block of one sequence: top-k, selects and resets.
    [[nodiscard]] Counts tail() const;
    /// The stalls of a preloaded group, and of the work on a chunk in pass number `pass`.
    [[nodiscard]] Counts group_stalls() const { return {.stall = stalls_.group}; }
    [[nodiscard]] Counts chunk_stalls(std::int64_t pass) const {
        return {.stall = stalls_.chunk[static_cast<std::size_t>(pass)]};
    }
    /// S_MAP_V_FP, which moves the confidences of a block: element by element, or in a pipeline.
    [[nodiscard]] Counts map_cycles() const;
    /// Cycles of a vector of exponentials.
    [[nodiscard]] std::int64_t exponential() const;
    /// Cycles of a store of one element: in a unified memory its row is read first.
    [[nodiscard]] std::int64_t store_cycles() const;
    /// Number of V_TOPK_MASK that select all positions of a step with a list of `topk_entries`.
    [[nodiscard]] std::int64_t topk_rounds() const;
    /// Without V_TOPK_MASK: number of exchanges of two confidences, by insertion into a list of the committed positions
    /// or in a bitonic network over the block, whichever takes fewer.
    [[nodiscard]] std::int64_t sort_exchanges() const;

    [[nodiscard]] std::int64_t mask_prefetches() const;
    [[nodiscard]] std::int64_t preloads() const;
    [[nodiscard]] std::int64_t prefetches_per_preload() const;
    /// Number of preloads whose HBM offset fits a single-instruction load.
    [[nodiscard]] std::int64_t near_preloads() const;
    /// Performance mode: number of rows of a group whose address in vector memory fits a single-instruction load.
    [[nodiscard]] std::int64_t near_rows() const;
    /// HBM offset of preload number `preload` in program order, in elements.
    [[nodiscard]] std::int64_t preload_offset(std::int64_t preload) const;
    [[nodiscard]] std::int64_t logit_prefetches() const { return preloads() * prefetches_per_preload(); }
    /// Number of prefetches of logits, counted from the first one, whose addresses increase from row to row. Where each
    /// step overwrites the logits of the previous one, these are the prefetches of one step.
    [[nodiscard]] std::int64_t distinct_prefetches() const;
    [[nodiscard]] std::int64_t prefetches() const { return mask_prefetches() + logit_prefetches(); }
    /// How often the logits of a row are fetched from HBM: in edge mode once per pass, otherwise 1.
    [[nodiscard]] std::int64_t fetches_per_chunk() const;

    /// The cycles of the whole stream, in closed form.
    [[nodiscard]] Counts total() const;

    /// Address of the first byte of the mask in HBM.
    [[nodiscard]] std::int64_t mask_base() const;
    /// Start addresses of the logits and of row `row` of a group in vector memory, in elements.
    [[nodiscard]] std::int64_t logits_base() const;
    /// Address of the scratch vector in vector memory, where there is one: before the logits.
    [[nodiscard]] std::int64_t scratch_address() const { return 3 * design_.batch * design_.vlen; }
    [[nodiscard]] std::int64_t row_address(std::int64_t row) const;
    [[nodiscard]] Design const& design() const { return design_; }
    [[nodiscard]] InstructionCosts const& costs() const { return costs_; }

  private:
    [[nodiscard]] std::int64_t load(std::int64_t constant) const;
    [[nodiscard]] Counts all_preloads() const;
    [[nodiscard]] Counts all_rows() const;
    [[nodiscard]] std::int64_t online_rescale() const;
    /// Without V_RED_MAX_IDX: which of these vectors has the maximum, and where.
    [[nodiscard]] Counts index_search(std::int64_t vectors) const;

    Design design_;
    InstructionCosts costs_;
    std::int64_t bump_;
    Stalls stalls_;
};

/// The sampling as a sequence of blocks. A block is one preload of logits (a group of sequences, or a chunk of a row)
/// and the work on it. The fetch of a block overlaps the work on earlier blocks; see README.md.
class Blocks {
  public:
    explicit Blocks(Program const& program);

    [[nodiscard]] std::int64_t count() const { return count_; }
    /// Cycles of the work on block `index` (0-based), including the settings and address increments of its fetch. With
    /// dual issue, scalar instructions of a pass run in parallel with its vector instructions, and instructions of the
    /// fetch in parallel with any others.
    [[nodiscard]] std::int64_t work(std::int64_t index) const;

    /// Consecutive blocks of the same kind and the cycles of work on all of them. The sampling consists of `repeats`
    /// rounds of the phases in order; constant loads are counted as in the last round.
    struct Phase {
        std::int64_t blocks = 0;
        double work = 0.0;
    };
    [[nodiscard]] std::vector<Phase> phases() const;
    [[nodiscard]] std::int64_t repeats() const;

  private:
    struct Work {
        Counts all;
        std::int64_t dual = 0;  ///< cycles if the vector and scalar instructions of a pass run in parallel
        void in_turn(Counts const& counts, std::int64_t times = 1);
        void side_by_side(Counts const& counts, std::int64_t times = 1);
    };
    [[nodiscard]] Work group_work() const;
    [[nodiscard]] Work chunk_work(std::int64_t index) const;
    [[nodiscard]] std::int64_t cycles(Work work, std::int64_t index) const;
    [[nodiscard]] std::int64_t passes_per_row() const;

    Program const& program_;
    Design const& design_;
    std::int64_t count_ = 0;
    Work group_;  ///< performance mode: the part of the work that is the same for all groups
};

/// Cost of the sampling of a block, in cycles. The instruction counts are exact at every fidelity; the memory cycles
/// and the total are as accurate as the fidelity.
struct SamplingCost {
    Counts counts;
    std::int64_t prefetches = 0;
    Estimate memory;  ///< cycles with a prefetch in flight
    Estimate total;
};

}  // namespace pimdse::models::dplena
