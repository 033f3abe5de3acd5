#pragma once

#include "models/upmem/dpu/assembler.hpp"
#include "models/upmem/dpu/recurrence.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::models::upmem::dpu {

/// Address instructions before each transfer of a block that has enough instructions; bytes after which MRAM addresses
/// wrap around; maximum number of register-stage cycles that a conflict costs.
inline constexpr std::int64_t address_instructions = 2;
inline constexpr std::uint32_t address_space = 1U << 31;
inline constexpr std::int64_t max_extras = 3;

/// A kernel known only by its counts: every tasklet repeats {reads, instructions, writes} over its blocks.
struct BlockWork {
    int tasklets = 1;
    std::int64_t blocks = 0, chunk = 1;  ///< chunk c belongs to tasklet c mod tasklets
    double instructions = 0.0;           ///< of all blocks together, including transfers
    double per_block = 0.0;              ///< of every block except the last, which gets the rest
    double extras = 0.0;                 ///< register-stage cycles per instruction beyond one
    double fixed = 0.0;                  ///< per tasklet, before its first block
    int reads = 0, writes = 0;
    std::uint32_t read_bytes = 0, write_bytes = 0;
};

/// Generates the instructions of such a kernel one by one. Register conflicts are spread evenly over a tasklet's
/// instructions; two address instructions precede each transfer if the count allows. Every operand has its own area in
/// MRAM. Satisfies the source concept of Core.
class BlockProgram {
  public:
    explicit BlockProgram(BlockWork work);
    Issued issue(std::size_t tasklet);
    void moved(Issued const&) const {}
    /// Number of plain instructions without registers that the tasklet is certain to issue next.
    [[nodiscard]] std::int64_t plain_ahead(std::size_t tasklet) const;
    void skip(std::size_t tasklet, std::int64_t count) { threads_[tasklet].left -= count; }

    /// A value that changes when tasklet 0 begins a block.
    [[nodiscard]] std::int64_t marks() const { return threads_.front().block; }
    /// Whether the instructions of whole blocks repeat with a period.
    [[nodiscard]] bool repeats() const { return period_ > 0; }
    [[nodiscard]] std::vector<std::int64_t> blocks_in_hand() const;
    /// How often the blocks since `before` can repeat before the last block of all is reached.
    [[nodiscard]] std::int64_t periods_ahead(std::vector<std::int64_t> const& before) const;
    void skip_periods(std::vector<std::int64_t> const& before, std::int64_t periods);
    /// Adds the state of all tasklets, except the numbers of their current blocks.
    void describe(StateWords& words) const;

  private:
    /// The next action of a tasklet; the start-up of every program comes first.
    enum class Stage : std::uint8_t { compare, boot, call, fixed, read, compute, write, stop };
    struct Thread {
        Stage stage = Stage::compare;
        std::int64_t block = 0;  ///< current block
        std::int64_t left = 0;   ///< plain instructions before the next change of stage
        int transfers = 0;       ///< done in this stage
        double extras = 0.0;     ///< register-stage cycles that are due
    };

    [[nodiscard]] std::int64_t count_of(std::int64_t block) const;
    [[nodiscard]] std::int64_t leading(std::int64_t block) const;
    void begin_block(Thread& t, std::int64_t block) const;
    void begin_compute(Thread& t) const;
    void finish_transfers(Thread& t) const;
    Issued transfer(std::size_t tasklet, Thread& t) const;
    Issued start_up(std::size_t tasklet, Thread& t) const;
    [[nodiscard]] std::uint32_t conflict(Thread& t) const;

    BlockWork work_;
    std::vector<Thread> threads_;
    std::int64_t area_ = 0;    ///< bytes from one operand to the next
    std::int64_t period_ = 0;  ///< count_of(b + period_) = count_of(b) of whole blocks; 0: not known
};

}  // namespace pimdse::models::upmem::dpu
