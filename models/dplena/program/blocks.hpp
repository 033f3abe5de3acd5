#pragma once

#include "models/dplena/program/program.hpp"

#include <vector>

namespace pimdse::models::dplena {

/// The sampling as a sequence of blocks, each one preload of logits (a group of sequences, or a chunk of a row) and the
/// work on it. Overlap happens between the fetch of one block and the work on earlier ones; see README.md.
class Blocks {
  public:
    explicit Blocks(Program const& program);

    [[nodiscard]] std::int64_t count() const { return count_; }
    /// Cycles of the work on block `index` (0-based), its own settings and bumps included. Dual issue lets scalar
    /// instructions of a pass run beside its vector instructions, and those of the fetch beside anything.
    [[nodiscard]] std::int64_t work(std::int64_t index) const;

    /// Consecutive blocks of the same kind and the cycles of work on all of them. The sampling is `repeats` rounds of
    /// the phases in order; constant loads are counted as in the last round.
    struct Phase {
        std::int64_t blocks = 0;
        double work = 0.0;
    };
    [[nodiscard]] std::vector<Phase> phases() const;
    [[nodiscard]] std::int64_t repeats() const;

  private:
    struct Work {
        Counts all;
        std::int64_t dual = 0;  ///< cycles with the vector and scalar instructions of a pass side by side
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
    Work group_;  ///< performance mode: what all groups have in common
};

}  // namespace pimdse::models::dplena
