#pragma once

#include "models/dplena/program/program.hpp"

namespace pimdse::models::dplena {

inline constexpr std::int64_t columns_of_a_row = 8;

/// Whether prefetches that fetch something for the first time follow each other without a gap.
[[nodiscard]] bool without_gaps(Program const& program);

/// Prefetches of a stream, without refresh and one under way at a time, that find rows closed (README.md, Lows): no
/// fewer than these.
struct RowOpenings {
    std::int64_t fresh = 0;  ///< all of their data lie in rows that were never opened, in banks with another row open
    std::int64_t switched = 0;  ///< some read meets a bank in which another row is open
};
[[nodiscard]] RowOpenings openings_of(Program const& program);

}  // namespace pimdse::models::dplena
