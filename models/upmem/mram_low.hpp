#pragma once

#include "models/upmem/program.hpp"

namespace pimdse::models::upmem {

/// What a proved bound is shrunk by, relatively, against rounding.
inline constexpr double rounding = 0x1p-30;

/// Least DPU cycles of a transfer.
struct TransferLow {
    double service = 0.0;  ///< for which it keeps the server from others
    double gap = 0.0;      ///< from its issue to that of the tasklet's next instruction
};

/// The memory side of a launch, from below. From the issue of the first of some transfers to the issue that follows the
/// last of them: at least before + services + (turns to a row - 1) x turn + behind.
struct MramLow {
    TransferLow read, write, last_read, last_write;
    double before = 0.0, behind = 0.0;
    double turn = 0.0;     ///< more than the next access of the same row
    double opening = 0.0;  ///< that the gap of the transfer is longer with which a turn begins
    double busy_least = 0.0, busy_most = 0.0;
};
[[nodiscard]] MramLow mram_low(Prepared const& prepared, Design const& design, LaunchProgram const& program);

}  // namespace pimdse::models::upmem
