#pragma once

#include <compare>
#include <cstdint>

namespace pimdse::models::upmem {

/// What PrIM's TRNS does to put the rows of `tiles` x `columns` in place: row r belongs at r x tiles modulo
/// (tiles x columns - 1), and whoever finds a row out of place carries rows along its cycle until the flag of the
/// next one is set.
struct RowMoves {
    std::int64_t rows = 0;   ///< out of place
    std::int64_t walks = 0;  ///< cycles of the permutation: each ends with one row that is read and left
    /// Flags that are tested and set.
    [[nodiscard]] std::int64_t tested() const { return rows + walks; }
    auto operator<=>(RowMoves const&) const = default;
};

/// Counted from the orders of `tiles` modulo the divisors of tiles x columns - 1, not by walking. Both positive,
/// their product below 2^31.
[[nodiscard]] RowMoves row_moves(std::int64_t tiles, std::int64_t columns);

}  // namespace pimdse::models::upmem
