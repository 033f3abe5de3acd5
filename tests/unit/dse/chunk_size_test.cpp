#include "dse/chunk_size.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse {
namespace {

TEST(ChunkSize, grows_until_a_piece_holds_the_work_it_aims_at) {
    ChunkSize size({.target_seconds = 10e-3, .workers = 1});
    for (int i = 0; i < 20; ++i) {
        auto const points = size.next(1'000'000);
        size.measured(points, static_cast<double>(points) * 1e-5);
    }
    EXPECT_NEAR(static_cast<double>(size.next(1'000'000)), 1000.0, 10.0);
}

TEST(ChunkSize, gives_single_points_where_one_is_already_long) {
    ChunkSize size({.target_seconds = 10e-3, .workers = 4});
    size.measured(4, 40.0);
    EXPECT_EQ(size.next(1000), 1U);
}

TEST(ChunkSize, shares_what_is_left_at_the_end) {
    ChunkSize size({.target_seconds = 1.0, .workers = 8});
    for (int i = 0; i < 20; ++i) size.measured(100, 1e-4);
    EXPECT_LE(size.next(160), 11U);
    EXPECT_EQ(size.next(1), 1U);
}

}  // namespace
}  // namespace pimdse::dse
