#pragma once

#include "models/umdam/constants.hpp"
#include "sim/dram/mapping/mapping.hpp"

#include <compare>
#include <cstdint>

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

/// What of a mapping, a transfer and a controller decides a shape.
struct ShapeKey {
    sim::dram::Mapping const* mapping = nullptr;  ///< remembered by prepared.hpp, which has one of each
    sim::dram::Organisation organisation;
    int extent = 0;          ///< address bits covered
    std::int64_t depth = 1;  ///< bursts that wait
    auto operator<=>(ShapeKey const&) const = default;
};

/// Walks a stretch of the stream. Linear mappings look alike at every aligned stretch, up to names of banks and rows.
[[nodiscard]] StreamShape stream_shape(ShapeKey const& key, StreamAllowances const& allowances);

}  // namespace pimdse::models::umdam
