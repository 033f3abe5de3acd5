#include "models/upmem/plan.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace pimdse::models::upmem::row_moves_test {
namespace {

/// Every row carried to its place, one after the other.
RowMoves walked(std::int64_t tiles, std::int64_t columns) {
    std::int64_t const last = tiles * columns - 1;
    std::vector<bool> done(static_cast<std::size_t>(last + 1), false);
    RowMoves moves;
    for (std::int64_t first = 0; first < last; ++first) {
        std::int64_t length = 0;
        for (std::int64_t row = first; !done[static_cast<std::size_t>(row)]; row = row * tiles % last) {
            done[static_cast<std::size_t>(row)] = true;
            ++length;
        }
        if (length < 2) continue;
        moves.rows += length;
        ++moves.walks;
    }
    return moves;
}

}  // namespace

TEST(RowMoves, are_those_of_a_walk_over_all_rows) {
    for (std::int64_t columns : {1, 2, 3, 4, 8, 16}) {
        for (std::int64_t tiles = 1; tiles <= 130; ++tiles)
            EXPECT_EQ(row_moves(tiles, columns), walked(tiles, columns)) << tiles << " x " << columns;
    }
    EXPECT_EQ(row_moves(12288, 8), walked(12288, 8));
}

TEST(RowMoves, depend_on_the_cycles_of_the_matrix_and_not_only_on_its_size) {
    // 64 x 8: nine bits rotated by six return after three steps, so every third row ends a walk.
    EXPECT_EQ(row_moves(64, 8), (RowMoves{504, 168}));
    EXPECT_EQ(row_moves(128, 8), (RowMoves{1022, 106}));
}

}  // namespace pimdse::models::upmem::row_moves_test
