#include "dse/run/dispatcher.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <random>

namespace pimdse::dse::run::chunk_size_test {
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

TEST(ChunkSize, learns_from_all_that_came_back_and_not_only_from_the_largest) {
    ChunkSize size({.target_seconds = 1.0, .workers = 2000});
    for (int i = 0; i < 1000; ++i) size.measured(4, 4e-5);
    EXPECT_EQ(size.next(100'000'000), 500U);
}

TEST(ChunkSize, gives_a_slow_worker_less_and_a_fast_one_more) {
    ChunkSize size({.target_seconds = 10e-3, .workers = 4});
    for (int i = 0; i < 100; ++i) size.measured(100, 1e-2);
    EXPECT_NEAR(static_cast<double>(size.next(1'000'000, 0.5)), 50.0, 1.0);
    EXPECT_NEAR(static_cast<double>(size.next(1'000'000, 2.0)), 200.0, 2.0);
}

TEST(ChunkSize, does_not_go_below_what_the_coordinator_can_hand_out) {
    ChunkSize size({.target_seconds = 1.0, .min_seconds = 0.2, .workers = 20'000});
    for (int i = 0; i < 1000; ++i) size.measured(1000, 1.0);
    EXPECT_EQ(size.next(20'000), 200U);
}

TEST(ChunkSize, fears_at_the_end_that_dear_points_are_left) {
    ChunkSize size({.target_seconds = 10e-3, .workers = 4});
    for (int i = 0; i < 50; ++i) size.measured(1000, 1.0);  // 1 ms each
    for (int i = 0; i < 50; ++i) size.measured(10'000, 10e-3);
    EXPECT_GT(size.next(100'000'000), 5000U);
    EXPECT_LE(size.next(20'000), 300U);
}

TEST(ChunkSize, forgets_a_first_point_that_was_dear) {
    ChunkSize size({.target_seconds = 10e-3, .workers = 4});
    size.measured(1, 1.0);
    for (int i = 0; i < 2000; ++i) size.measured(1000, 10e-3);
    EXPECT_NEAR(static_cast<double>(size.next(40'000'000)), 1000.0, 10.0);
}

TEST(ChunkSize, is_never_nothing_nor_more_than_is_left_allowed_or_was_tried_by_four) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 300; ++round) {
        ChunkSize::Aim const aim{.target_seconds = std::pow(10.0, static_cast<double>(random() % 6) - 4.0),
                                 .min_seconds = random() % 2 == 0 ? 0.0 : 0.01,
                                 .workers = 1 + static_cast<int>(random() % 5000),
                                 .largest = 1 + (random() >> random() % 64) % 65'536};
        ChunkSize size(aim);
        std::uint64_t largest = 1, seen = 0;
        for (int step = 0; step < 60; ++step) {
            std::uint64_t const left = std::max<std::uint64_t>(1, random() >> random() % 64);
            double const speed = 0.05 + static_cast<double>(random() % 40) * 0.05;
            auto const points = size.next(left, speed);
            ASSERT_GE(points, 1U);
            ASSERT_LE(points, left);
            ASSERT_LE(points, aim.largest);
            ASSERT_LE(points, std::max({std::uint64_t{4}, 4 * largest, seen / 8 + 1}));
            double const took[] = {0.0, 1e-12, 1e9, 1e-6 * static_cast<double>(random() % 1000)};
            size.measured(points, took[random() % 4] * static_cast<double>(points));
            ASSERT_GT(size.seconds_per_point(), 0.0);
            largest = std::max(largest, points);
            seen += points;
        }
    }
}

}  // namespace
}  // namespace pimdse::dse::run::chunk_size_test
