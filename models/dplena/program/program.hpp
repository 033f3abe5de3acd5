#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

#include <cstdint>

namespace pimdse::models::dplena {

/// Cycles by the column in which the paper books them. `copy` is the half of S_MAP_V_FP that no column shows.
struct Counts {
    std::int64_t vector = 0, scalar = 0, control = 0, copy = 0;

    [[nodiscard]] std::int64_t sum() const { return vector + scalar + control + copy; }
    /// What a second issue slot has to carry while the vector unit works.
    [[nodiscard]] std::int64_t beside_vector() const { return scalar + control + copy; }
    Counts& operator+=(Counts const& other);
    friend Counts operator+(Counts a, Counts const& b) { return a += b; }
    friend Counts operator*(std::int64_t times, Counts const& c) {
        return {times * c.vector, times * c.scalar, times * c.control, times * c.copy};
    }
    bool operator==(Counts const&) const = default;
};

/// Address registers that the test bench clears before the mask, and again behind it.
inline constexpr std::int64_t address_resets = 8;

/// The instruction stream of a design piece by piece: what each piece costs, without the time of its prefetches. The
/// code is unrolled, so a constant load costs one instruction or two by its value. The pieces are those of the authors'
/// generators; with loop_hardware the bumps of the loops are gone, with passes one the second fetch is.
class Program {
  public:
    Program(Design const& design, InstructionCosts const& costs);

    /// The test bench's start: bases, resets, the input mask's preload (whose prefetches are mask_prefetches()).
    [[nodiscard]] Counts prologue() const;
    /// Settings before the prefetches of one preload of logits at this HBM offset (elements).
    [[nodiscard]] Counts preload_header(std::int64_t offset) const;
    /// Address bumps beside this many prefetches.
    [[nodiscard]] Counts prefetch_bumps(std::int64_t prefetches) const;
    /// Before the first pass over row `row` of a preloaded group (edge mode: any row).
    [[nodiscard]] Counts row_start(std::int64_t row) const;
    /// First pass over `vectors` vectors: running maximum and its index.
    [[nodiscard]] Counts maximum_pass(std::int64_t vectors) const;
    /// Between the passes: the pointer goes back (performance), the running sum is rescaled (online).
    [[nodiscard]] Counts between_passes(std::int64_t row) const;
    /// Second pass: subtract, exponential, sum.
    [[nodiscard]] Counts sum_pass(std::int64_t vectors) const;
    /// Behind each pass over a chunk in edge mode.
    [[nodiscard]] Counts chunk_end() const;
    /// Reciprocal and stores.
    [[nodiscard]] Counts row_end() const;
    /// Top-k, selects and resets of one sequence.
    [[nodiscard]] Counts tail() const;

    [[nodiscard]] std::int64_t mask_prefetches() const;
    [[nodiscard]] std::int64_t preloads() const;
    [[nodiscard]] std::int64_t prefetches_per_preload() const;
    /// Preloads whose HBM offset fits a single-instruction load.
    [[nodiscard]] std::int64_t near_preloads() const;
    /// Performance mode: rows of a group whose place in vector memory fits a single-instruction load.
    [[nodiscard]] std::int64_t near_rows() const;
    /// HBM offset of preload number `preload` in program order, in elements.
    [[nodiscard]] std::int64_t preload_offset(std::int64_t preload) const;
    [[nodiscard]] std::int64_t logit_prefetches() const { return preloads() * prefetches_per_preload(); }
    /// Prefetches of logits from the first on whose addresses rise from row to row: those of one step where the next
    /// one overwrites it.
    [[nodiscard]] std::int64_t distinct_prefetches() const;
    [[nodiscard]] std::int64_t prefetches() const { return mask_prefetches() + logit_prefetches(); }
    /// How often a row's logits come from HBM: 1 in performance mode and online, 2 for two passes in edge mode.
    [[nodiscard]] std::int64_t fetches_per_chunk() const;

    /// The whole stream in closed form.
    [[nodiscard]] Counts total() const;

    /// First byte of the mask in HBM.
    [[nodiscard]] std::int64_t mask_base() const;
    /// Where the logits and row `row` of a group begin in vector memory, in elements.
    [[nodiscard]] std::int64_t logits_base() const;
    [[nodiscard]] std::int64_t row_address(std::int64_t row) const;
    [[nodiscard]] Design const& design() const { return design_; }
    [[nodiscard]] InstructionCosts const& costs() const { return costs_; }

  private:
    [[nodiscard]] std::int64_t load(std::int64_t constant) const;
    [[nodiscard]] Counts all_preloads() const;
    [[nodiscard]] Counts all_rows() const;
    [[nodiscard]] std::int64_t online_rescale() const;

    Design design_;
    InstructionCosts costs_;
    std::int64_t bump_;
};

}  // namespace pimdse::models::dplena
