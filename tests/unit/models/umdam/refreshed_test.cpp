#include "models/umdam/stream_rate.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <random>

namespace pimdse::models::umdam::refreshed_test {
namespace {

/// Work that is interrupted whenever a refresh comes due, cycle by cycle.
std::int64_t interrupted(std::int64_t work, std::int64_t interval, std::int64_t pause) {
    std::int64_t now = 0, next = interval;
    while (work > 0) {
        if (now == next) {
            now += pause;
            next += interval;
        }
        ++now;
        --work;
    }
    return now;
}

TEST(Refreshed, is_work_with_all_pauses_that_come_due_in_it) {
    std::mt19937 random(4);
    for (int i = 0; i < 4000; ++i) {
        auto const interval = static_cast<std::int64_t>(2 + random() % 60);
        auto const pause = static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(interval - 1));
        auto const work = static_cast<std::int64_t>(random() % 500);
        Refreshed const refreshed{static_cast<double>(interval)};
        auto const min = refreshed.stretched(static_cast<double>(work), static_cast<double>(pause), 0.0);
        auto const slow = static_cast<double>(interrupted(work, interval, pause));
        // A refresh that comes due as the work ends may not be waited for, or be.
        EXPECT_TRUE(min == slow || (min == slow + static_cast<double>(pause)))
            << work << " " << interval << " " << pause;
        for (std::int64_t const late : {1, 5, 50}) {
            auto const with =
                refreshed.stretched(static_cast<double>(work), static_cast<double>(pause), static_cast<double>(late));
            EXPECT_LE(with, min) << "what may be done late never makes it longer";
            EXPECT_GE(with, static_cast<double>(work));
        }
    }
    EXPECT_EQ(Refreshed{}.stretched(1000.0, 10.0, 0.0), 1000.0);
    EXPECT_EQ(Refreshed{100.0}.stretched(1000.0, 0.0, 0.0), 1000.0);
}

}  // namespace
}  // namespace pimdse::models::umdam::refreshed_test
