#pragma once

#include "models/dplena/calibration.hpp"

namespace pimdse::models::dplena {

/// Cycles of an overlapped program, block after block as the overlapped machine runs it, with the times of fetches from a
/// calibration without refresh: that of the preload alone, or of preloads in a stream where the fetch follows another at once
/// and several prefetches may be under way. A refresh stops the fetch that it meets; until all rows are open
/// again, fetches take `reopening` ticks more. Of very many blocks the first 16,384 are
/// run and the rest taken as fast as the later half of them.
[[nodiscard]] double pipeline_cycles(Program const& program, HbmTiming const& timing, Calibrations::Mean const& mean, double reopening);

}  // namespace pimdse::models::dplena
