#pragma once

#include "models/umdam/layout.hpp"
#include "sim/base/counting.hpp"

#include <cstdint>

namespace pimdse::models::umdam::testing {

/// Elements of a column with its padding.
inline std::int64_t padded_inputs(Layout const& layout) { return layout.tile_rows() * layout.height(); }

/// Padding bytes per useful byte.
inline double capacity_waste(Layout const& layout, std::int64_t inputs, std::int64_t outputs) {
    constexpr std::int64_t element_bytes = 2;
    return static_cast<double>(layout.bytes()) / static_cast<double>(inputs * outputs * element_bytes) - 1.0;
}

/// Share of lanes that hold a column, over all tile columns.
inline double lane_utilisation(Layout const& layout, std::int64_t outputs) {
    return static_cast<double>(outputs) / static_cast<double>(layout.tile_columns() * layout.width());
}

inline std::int64_t rows_per_bank(Layout const& layout, Organisation const& o) {
    return sim::divide_up(layout.bytes(), lanes(o) * o.row_bytes);
}

/// A place in the DRAM; `column` counts bursts.
struct LanePlace {
    std::int64_t channel = 0, rank = 0, bank = 0, row = 0, column = 0, offset = 0;  ///< bank: of all groups of a rank
    auto operator<=>(LanePlace const&) const = default;
};

/// The UMDAM order Row-ColM-Bank-Rank-Channel-ColL-Offset by division, so that channels, ranks and banks need not be
/// powers of two.
inline LanePlace umdam_coordinates(std::uint64_t address, Organisation const& organisation, std::int64_t interleave) {
    auto rest = static_cast<std::int64_t>(address);
    auto const take = [&rest](std::int64_t radix) {
        std::int64_t const digit = rest % radix;
        rest /= radix;
        return digit;
    };
    std::int64_t const low_columns = interleave / organisation.burst_bytes;
    LanePlace at;
    at.offset = take(organisation.burst_bytes);
    std::int64_t const lower = take(low_columns);
    at.channel = take(organisation.channels);
    at.rank = take(organisation.ranks);
    at.bank = take(organisation.banks_per_rank());
    at.column = take(organisation.row_bytes / interleave) * low_columns + lower;
    at.row = rest;
    return at;
}

}  // namespace pimdse::models::umdam::testing
