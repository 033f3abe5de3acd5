#pragma once

#include "models/upmem/work.hpp"

#include <compare>
#include <cstdint>

namespace pimdse::models::upmem {

/// The plan of a feasible point (see parameters.hpp) without a model.
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

/// Launches of one part of the time: for a request the prompt, or the tokens after the first; otherwise all launches.
struct RequestPart {
    std::string name;  ///< "prefill", "decode"; "" if there is only one
    Plan plan;
};

/// Bytes of the embedding of a request's model, which stays in the host's memory; 0 otherwise.
[[nodiscard]] double host_table_bytes(Prepared const& prepared, Design const& design);

/// The parts of a feasible point. All of them have the same data in MRAM.
[[nodiscard]] std::vector<RequestPart> request_parts(Prepared const& prepared, Design const& design);

/// The launches of the prompt of a request, with the data of its positions in MRAM if all layers keep all of them, also
/// those with windows.
[[nodiscard]] Plan whole_prompt(Prepared const& prepared, Design const& design);

}  // namespace pimdse::models::upmem
