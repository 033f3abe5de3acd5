#pragma once

#include "models/dplena/hbm/address.hpp"
#include "models/dplena/program/program.hpp"

namespace pimdse::models::dplena {

/// Pseudo-channels of a design's HBM.
[[nodiscard]] inline std::int64_t pseudo_channels(Design const& d) { return 2 * d.channels; }

/// Consecutive lines that lie in one column of their rows: each bank has two of them, one half of either.
[[nodiscard]] inline std::int64_t lines_of_a_column(Design const& d) { return d.channels * AddressMap::banks; }

/// Reads of one prefetch, spread evenly over the pseudo-channels and rounded up: the busiest has as many at least.
[[nodiscard]] std::int64_t even_reads(Design const& design);

/// Reads that the busiest pseudo-channel gets at least of every prefetch of logits, from where these can begin
/// (README.md, Lows).
[[nodiscard]] std::int64_t busiest_reads(Program const& program);

}  // namespace pimdse::models::dplena
