#pragma once

#include "models/dplena/hbm/prefetch_estimate.hpp"
#include "models/dplena/program/program.hpp"

namespace pimdse::models::dplena {

/// The memory cycles of a design without refresh, lengthened by refresh if the design has it. A refresh that begins
/// while a prefetch is under way delays it by its whole duration; one that begins between two prefetches by what is
/// left of it when the next one starts; every bank then has to be opened again, which the wait between precharge and
/// activate makes up for.
[[nodiscard]] Expected with_refresh(Program const& program, MachineConstants const& machine, Expected const& memory);

/// How much longer a pipeline of blocks takes whose work is the slower side: a refresh is felt as far as it outlasts
/// the blocks that are fetched ahead. 1 without refresh and for one buffer, where it counts as memory time.
[[nodiscard]] double refresh_stretch(Design const& design, HbmTiming const& timing, double work_per_block);

}  // namespace pimdse::models::dplena
