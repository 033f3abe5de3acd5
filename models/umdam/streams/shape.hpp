#pragma once

#include "sim/base/memo.hpp"
#include "sim/dram/mapping/mapping.hpp"

#include <cstdint>
#include <tuple>

namespace pimdse::models::umdam {

/// How a sequential stream meets the banks of one channel, per burst, in its steady state.
struct StreamShape {
    double most_openings = 1.0;  ///< rows opened when every bank serves its bursts in order
    double least_openings =
        1.0;  ///< when every opening serves all bursts to its row that a queue can hold others back for
    double busiest_bank = 1.0;  ///< of least_openings, those of the bank with most of them
    double banks = 1.0;         ///< banks in use
    double rank_changes = 0.0;  ///< between consecutive bursts
    double rows_in_use = 1.0;   ///< begun and not yet finished, at a time: what a refresh closes before its time
};

/// What of a mapping, a transfer and a controller decides a shape: `extent` address bits are covered, `depth` bursts
/// wait.
using ShapeKey = std::tuple<sim::dram::Mapping const*, int, std::int64_t>;
using ShapeMemo = sim::Memo<ShapeKey, StreamShape>;

/// Walks a stretch of the stream. Linear mappings look alike at every aligned stretch, up to names of banks and rows.
[[nodiscard]] StreamShape stream_shape(sim::dram::Mapping const& mapping, int extent, std::int64_t depth,
                                       sim::dram::Organisation const& organisation);

}  // namespace pimdse::models::umdam
