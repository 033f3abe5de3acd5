#include "dse/run/liveness.hpp"

#include <gtest/gtest.h>
#include <random>

namespace pimdse::dse::run::running_time_test {
namespace {

using Clock = RunningTime::Clock;

Clock::duration seconds(double count) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

TEST(RunningTime, counts_no_more_of_a_turn_than_the_longest_and_says_what_was_away) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 50; ++round) {
        RunningTime time;
        auto now = Clock::now();
        (void)time.turn(now);
        double const begun = time.seconds();
        double counted = 0.0, away = 0.0;
        for (int turn = 0; turn < 200; ++turn) {
            double const passed = static_cast<double>(random() % 1'000'000) * (random() % 10 == 0 ? 1e-4 : 1e-6);
            now += seconds(passed);
            counted += std::min(passed, RunningTime::longest_turn);
            double const was_away = passed > RunningTime::longest_turn ? passed - RunningTime::longest_turn : 0.0;
            ASSERT_NEAR(time.turn(now), was_away, 1e-6);
            away += was_away;
        }
        EXPECT_NEAR(time.seconds() - begun, counted, 1e-4);
        EXPECT_GT(away, 0.0);
    }
}

TEST(RunningTime, stands_still_between_turns) {
    RunningTime time;
    EXPECT_EQ(time.seconds(), 0.0);
    auto const now = Clock::now() + seconds(0.5);
    (void)time.turn(now);
    double const after = time.seconds();
    EXPECT_EQ(time.turn(now), 0.0);
    EXPECT_EQ(time.seconds(), after);
}

}  // namespace
}  // namespace pimdse::dse::run::running_time_test
