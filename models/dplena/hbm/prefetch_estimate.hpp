#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/program.hpp"

namespace pimdse::models::dplena {

/// Ticks as they are expected, and seldom more than `high` (calibrated); lows are elsewhere.
struct Expected {
    double value = 0.0, upper = 0.0;
    [[nodiscard]] Expected times(double n) const { return {value * n, upper * n}; }
};

/// Mean ticks of one prefetch of a long stream in closed form: a straight line in the reads per pseudo-channel where
/// that holds, else measured means (constants.toml), interpolated, shifted for another number of channels; of which
/// `outstanding` are under way at once.
[[nodiscard]] Expected estimate_prefetch(Design const& design, MachineConstants const& machine, double outstanding);

/// The memory cycles of a design without refresh, lengthened by refresh if the design has it. A refresh that begins
/// while a prefetch is under way delays it by its whole duration; one that begins between two prefetches by what is
/// left of it when the next one starts; every bank then has to be opened again, which the wait between precharge and
/// activate makes up for.
[[nodiscard]] Expected with_refresh(Program const& program, MachineConstants const& machine, Expected const& memory);

/// How much longer a pipeline of blocks takes whose work is the slower side: a refresh is felt as far as it outlasts
/// the blocks that are fetched ahead. 1 without refresh and for one buffer, where it counts as memory time.
[[nodiscard]] double refresh_stretch(Design const& design, HbmTiming const& timing, double work_per_block);

}  // namespace pimdse::models::dplena
