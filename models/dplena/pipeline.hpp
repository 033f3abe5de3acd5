#pragma once

#include "models/dplena/hbm/stream_calibrations.hpp"

namespace pimdse::models::dplena {

/// Cycles of an overlapped program without refresh, block after block as the overlapped machine runs it, with the times
/// of fetches from a calibration: that of the preload alone, or of preloads in a stream where the fetch follows another
/// at once and several prefetches may be under way. Of more blocks than `most_blocks` the first are run and the rest
/// taken as fast as the later half of them.
[[nodiscard]] double pipeline_cycles(Program const& program, FetchTimes const& times, std::int64_t most_blocks);

}  // namespace pimdse::models::dplena
