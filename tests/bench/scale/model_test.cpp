#include "simulated_job.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace pimdse::scale {
namespace {

using Shape = Cost::Shape;

TEST(Cost, of_many_points_has_the_mean_it_is_given) {
    for (auto const& cost :
         {Cost{Shape::equal, 1e-3, 1}, Cost{Shape::spread, 1e-3, 1000}, Cost{Shape::lognormal, 1e-3, 1.0}}) {
        double one_by_one = 0.0;
        double together = 0.0;
        constexpr std::uint64_t points = 400'000;
        for (std::uint64_t id = 0; id < points; ++id) one_by_one += cost.of(id, 1);
        for (std::uint64_t id = 0; id < points; id += 1000) together += cost.of(id, 1000);
        EXPECT_NEAR(one_by_one / points, 1e-3, 1e-4);
        EXPECT_NEAR(together / points, 1e-3, 1e-4);
    }
}

TEST(Cost, of_a_run_across_regions_is_that_of_its_points) {
    Cost const cost{Shape::regions, 1e-3, 1000};
    double one_by_one = 0.0;
    for (std::uint64_t id = 1000; id < 31'000; ++id) one_by_one += cost.of(id, 1);
    EXPECT_NEAR(cost.of(1000, 30'000), one_by_one, 1e-9 * one_by_one);
    EXPECT_GT(cost.of(0, 1'000'000), 500.0);
    EXPECT_LT(cost.of(0, 1'000'000), 1500.0);
}

TEST(Model, one_rank_on_equal_points_wastes_nothing_but_messages) {
    auto const outcome = simulate({.ranks = 1}, {{Shape::equal, 1e-3, 1}, 10'000});
    EXPECT_NEAR(outcome.busy_seconds, 10.0, 1e-9);
    EXPECT_GT(outcome.efficiency, 0.99);
    EXPECT_LE(outcome.efficiency, 1.0);
}

TEST(Model, is_the_same_when_it_is_run_again) {
    Machine const machine{.ranks = 37, .threads = 3, .slowest_speed = 0.5};
    Work const work{{Shape::lognormal, 5e-3, 1.0}, 30'000};
    EXPECT_EQ(simulate(machine, work).seconds, simulate(machine, work).seconds);
}

TEST(Model, a_coordinator_that_cannot_keep_up_is_the_bound) {
    auto const outcome = simulate({.ranks = 64}, {{Shape::equal, 10e-6, 1}, 20'000'000});
    EXPECT_GT(outcome.coordinator_seconds, 0.95 * outcome.seconds);
    EXPECT_GE(outcome.seconds, 20e6 * Machine{}.result_seconds);
}

/// What the program promises; the table of bench_scale has more of them.
TEST(Promise, a_thousand_ranks_are_busy) {
    for (auto const& cost :
         {Cost{Shape::equal, 1e-3, 1}, Cost{Shape::spread, 1e-3, 1000}, Cost{Shape::lognormal, 1e-3, 1.0}}) {
        EXPECT_GT(simulate({.ranks = 1000}, {cost, 30'000'000, dse::space::Keep::front}).efficiency, 0.95)
            << static_cast<int>(cost.shape);
        EXPECT_GT(
            simulate({.ranks = 1000, .slowest_speed = 0.25}, {cost, 30'000'000, dse::space::Keep::front}).efficiency,
            0.95)
            << static_cast<int>(cost.shape);
    }
}

TEST(Promise, ten_thousand_ranks_are_busy) {
    EXPECT_GT(
        simulate({.ranks = 10'000}, {{Shape::spread, 1e-3, 1000}, 400'000'000, dse::space::Keep::front}).efficiency,
        0.9);
    EXPECT_GT(simulate({.ranks = 10'000}, {{Shape::equal, 1.0, 1}, 1'000'000}).efficiency, 0.9);
}

TEST(Promise, a_random_sample_keeps_all_ranks_as_busy_as_a_sweep) {
    auto const efficiency = [](int ranks, Cost const& cost, std::uint64_t points, bool listed) {
        return simulate({.ranks = ranks}, {cost, points, dse::space::Keep::all, 64, listed}).efficiency;
    };
    EXPECT_GT(efficiency(10'000, {Shape::equal, 1.0, 1}, 1'000'000, true), 0.95);
    EXPECT_GT(efficiency(1000, {Shape::lognormal, 1.0, 1.0}, 1'000'000, true), 0.95);
    Cost const dear_and_cheap{Shape::lognormal, 1.0, 1.0};
    EXPECT_NEAR(efficiency(3000, dear_and_cheap, 600'000, true), efficiency(3000, dear_and_cheap, 600'000, false),
                0.005);
}

TEST(Promise, all_threads_of_a_rank_have_long_points_to_work_on) {
    EXPECT_GT(simulate({.ranks = 8, .threads = 64}, {{Shape::equal, 1.0, 1}, 512 * 40}).efficiency, 0.95);
    EXPECT_GT(simulate({.ranks = 8, .threads = 64}, {{Shape::spread, 0.1, 1000}, 512 * 400}).efficiency, 0.95);
}

}  // namespace
}  // namespace pimdse::scale
