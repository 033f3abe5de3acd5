#pragma once

#include "models/upmem/work.hpp"

#include <compare>
#include <cstdint>

namespace pimdse::models::upmem {

/// The plan of a feasible point (see parameters.hpp). That of a request is what its DPUs hold, without launches: those
/// are of its passes (passes.hpp).
///
/// A matrix of the shape `tiles` is transposed as in PrIM's TRNS: DPUs take columns of tiles in rounds, and each round
/// has two launches. The first transposes every tile by itself, the second moves rows of tiles to their places under
/// one lock of flags.
[[nodiscard]] Plan plan(Prepared const& prepared, Design const& design);

/// Row moves with which PrIM's TRNS puts the rows of `tiles` x `columns` in place: row r belongs at r x tiles modulo
/// (tiles x columns - 1). A tasklet that finds a row out of place moves rows along its cycle until the flag of the next
/// row is set.
struct RowMoves {
    std::int64_t rows = 0;  ///< out of place
    /// Cycles of the permutation: each ends with one row that is read and left in place.
    std::int64_t walks = 0;
    /// Flags that are tested and set.
    [[nodiscard]] std::int64_t tested() const { return rows + walks; }
    auto operator<=>(RowMoves const&) const = default;
};

/// Computed from the orders of `tiles` modulo the divisors of tiles x columns - 1, without simulation of the moves.
/// Both arguments are positive, and their product is below 2^31.
[[nodiscard]] RowMoves row_moves(std::int64_t tiles, std::int64_t columns);

/// Bytes of weights in the fullest DPU: every matrix, including the LM head, is distributed to all DPUs by rows.
[[nodiscard]] double weight_bytes(Kernel const& kernel, Design const& design);

/// What DPUs hold of a request and of the model that proposes its tokens, without launches: weights, keys and values,
/// buffers. `keeps_all`: all layers keep all positions, also those with windows.
[[nodiscard]] Plan held_plan(Prepared const& prepared, Design const& design, bool keeps_all);

/// Bytes of MRAM in all DPUs, and of a request also of embeddings in the host's memory.
[[nodiscard]] double footprint(Prepared const& prepared, Design const& design, Plan const& plan);

}  // namespace pimdse::models::upmem
