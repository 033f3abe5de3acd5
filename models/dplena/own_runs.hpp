#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/program/program.hpp"
#include "sim/base/memo.hpp"

#include <compare>

namespace pimdse::models::dplena {

/// What of a design decides its sampling program and how long it runs on the machine of cycle fidelity.
struct ProgramKey {
    Mode mode = Mode::performance;
    std::int64_t vlen = 0, batch = 0, block_length = 0, vocab = 0, steps = 0;
    std::int64_t preload = 0, v_chunk = 0, prefetch = 0, mx_block = 0, channels = 0;
    Element element = Element::e4m3;  ///< where its width is seen
    Addressing addressing = Addressing::bytes;
    Bus bus = Bus::compat;
    Refresh refresh = Refresh::off;
    std::int64_t exp_lanes = 0;
    Overlap overlap = Overlap::none;
    std::int64_t buffers = 0;
    Passes passes = Passes::two;
    std::int64_t outstanding = 0;
    LoopHardware loop_hardware = LoopHardware::off;

    auto operator<=>(ProgramKey const&) const = default;
    [[nodiscard]] static ProgramKey of(Design const& design);
    /// A design with this program.
    [[nodiscard]] Design design() const;
};

/// A program that was run as a whole.
struct WholeRun {
    double ticks = 0.0;   ///< mean of a prefetch
    double cycles = 0.0;  ///< of the program
};

/// Programs themselves on the machine of cycle fidelity, remembered: short ones as a whole, of long overlapped ones the
/// beginning. For what makes no sum of parts: refreshes, open rows and prefetches beside each other.
class OwnRuns {
  public:
    [[nodiscard]] WholeRun whole(Program const& program, Hbm const& hbm) const;
    /// Cycles of a long overlapped program from running some `prefetches` of it.
    [[nodiscard]] double from_beginning(Program const& program, Hbm const& hbm, std::int64_t prefetches) const;

  private:
    sim::Memo<ProgramKey, WholeRun> whole_;
    sim::Memo<ProgramKey, double> from_beginning_;
};

}  // namespace pimdse::models::dplena
