#pragma once

#include "models/upmem/work.hpp"

#include <compare>
#include <cstdint>

namespace pimdse::models::upmem {

/// The plan of a feasible point (see rules.hpp) without a model.
///
/// A matrix of the shape `tiles` is transposed as PrIM's TRNS does it: DPUs take columns of tiles in rounds, each round
/// has two launches. The first transposes every tile by itself, the second carries rows of tiles to their places under
/// one lock of flags.
[[nodiscard]] Plan plan(Prepared const& prepared, Design const& design);

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
