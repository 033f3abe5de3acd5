#include "dse/cli/progress.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace pimdse::dse::cli::pace_test {
namespace {

TEST(Pace, knows_nothing_before_there_are_two_looks) {
    Pace pace;
    EXPECT_EQ(pace.rate(), 0.0);
    EXPECT_TRUE(std::isnan(pace.seconds_to(10)));
    pace.see(5.0, 100);
    EXPECT_TRUE(std::isnan(pace.seconds_to(1000))) << "the hundred may have been restored";
    pace.see(6.0, 110);
    EXPECT_EQ(pace.rate(), 10.0);
    EXPECT_EQ(pace.seconds_to(210), 10.0);
    EXPECT_EQ(pace.seconds_to(50), 0.0);
}

TEST(Pace, forgets_what_was_slow_in_the_beginning) {
    Pace pace;
    for (int s = 0; s <= 100; ++s) pace.see(s, static_cast<std::uint64_t>(s < 60 ? s : 60 + (s - 60) * 50));
    EXPECT_NEAR(pace.rate(), 50.0, 0.1);
}

/// From a tenth of the run on, where each point takes twice as long as the first in the end.
TEST(Pace, is_within_thirty_per_cent_of_a_run_that_becomes_slower) {
    constexpr double points = 10'000;
    auto const time_of = [](double done) { return 0.1 * (done + 0.5 * done * done / points); };
    Pace pace;
    double now = 0.0;
    for (double done = 0.0; done <= 0.95 * points; done += 10.0) {
        now = time_of(done);
        pace.see(now, static_cast<std::uint64_t>(done));
        if (done < 0.1 * points) continue;
        double const left = time_of(points) - now;
        EXPECT_NEAR(pace.seconds_to(static_cast<std::uint64_t>(points)), left, 0.35 * left) << done;
    }
}

/// Of 500 points whose costs differ by factors of ten (two of three lie within a factor of 4.5 of the median), a fifth
/// and a half of the time into the run.
TEST(Pace, is_within_a_factor_of_two_of_a_run_whose_points_cost_very_different_times) {
    constexpr std::uint64_t points = 500;
    int wrong = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::mt19937_64 random(seed);
        std::lognormal_distribution<double> cost(0.0, 1.5);
        std::vector<double> ends{0.0};
        for (std::uint64_t i = 0; i < points; ++i) ends.push_back(ends.back() + cost(random));
        for (double const share : {0.2, 0.5}) {
            Pace pace;
            double const now = share * ends.back();
            for (double look = 0.0; look <= now; look += 0.5) {
                auto const done = std::ranges::upper_bound(ends, look) - ends.begin() - 1;
                pace.see(look, static_cast<std::uint64_t>(done));
            }
            double const ratio = pace.seconds_to(points) / (ends.back() - now);
            wrong += ratio < 0.5 || ratio > 2.0 ? 1 : 0;
        }
    }
    EXPECT_LE(wrong, 20) << "of 200";
}

TEST(Durations, are_never_sixty_of_anything) {
    EXPECT_EQ(print_duration(1.24), "1.2 s");
    EXPECT_EQ(print_duration(59.97), "1 min 0 s");
    EXPECT_EQ(print_duration(1799.6), "30 min 0 s");
    EXPECT_EQ(print_duration(3599.7), "1 h 0 min");
    EXPECT_EQ(print_duration(7170.0), "2 h 0 min");
    EXPECT_EQ(print_duration(18120.0), "5 h 2 min");
}

}  // namespace
}  // namespace pimdse::dse::cli::pace_test
