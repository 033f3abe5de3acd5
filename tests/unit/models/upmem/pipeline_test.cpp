#include "models/upmem/timeline.hpp"
#include "tests/laws/streams_in_step.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <random>

namespace pimdse::models::upmem::pipeline_test {
namespace {

constexpr std::size_t link = 0, work = 1, bank = 2;

std::vector<sim::Time> random_times(std::mt19937& random, std::size_t n) {
    std::uniform_real_distribution<double> any(0.01, 1.0);
    std::vector<sim::Time> times(n);
    for (auto& t : times) t = sim::Time{any(random)};
    return times;
}

enum class Rule { unlimited, two_banks, exclusive };

sim::Time makespan(std::span<sim::Time const> in, std::span<sim::Time const> kernel, Rule rule) {
    Pipeline pipeline(4);
    for (std::size_t i = 0; i < in.size(); ++i) {
        std::vector<std::size_t> a{link}, b{work};
        if (rule != Rule::unlimited) {
            std::size_t const held = bank + (rule == Rule::two_banks ? i % 2 : 0);
            a.push_back(held);
            b.push_back(held);
        }
        auto const first = pipeline.add(in[i], a);
        pipeline.add(kernel[i], b, std::array{first});
    }
    return pipeline.makespan();
}

}  // namespace

TEST(Pipeline, stage_waits_for_what_it_follows_and_for_its_resources) {
    Pipeline pipeline(2);
    auto const a = pipeline.add(sim::Time{2.0}, std::array{link});
    auto const b = pipeline.add(sim::Time{3.0}, std::array{link});
    auto const c = pipeline.add(sim::Time{1.0}, std::array{work}, std::array{a});
    auto const d = pipeline.add(sim::Time{1.0}, std::array{work, link}, std::array{c});
    EXPECT_EQ(pipeline.at(b).start.si, 2.0);
    EXPECT_EQ(pipeline.at(c).start.si, 2.0);
    EXPECT_EQ(pipeline.at(d).start.si, 5.0);
    EXPECT_EQ(pipeline.makespan().si, 6.0);
}

TEST(Pipeline, two_banks_are_the_lock_step_recurrence_in_2000_random_cases) {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::size_t const n = 1 + random() % 20;
        auto const in = random_times(random, n);
        auto const kernel = random_times(random, n);
        ASSERT_NEAR(makespan(in, kernel, Rule::two_banks).si, lock_step_makespan(in, kernel).si, 1e-9);
    }
}

TEST(Pipeline, more_freedom_is_never_slower_and_nothing_beats_the_busiest_resource) {
    std::mt19937 random(2);
    for (int round = 0; round < 2000; ++round) {
        std::size_t const n = 1 + random() % 20;
        auto const in = random_times(random, n);
        auto const kernel = random_times(random, n);
        double sum_in = 0.0, sum_kernel = 0.0;
        for (auto t : in) sum_in += t.si;
        for (auto t : kernel) sum_kernel += t.si;
        double const free = makespan(in, kernel, Rule::unlimited).si;
        double const banks = makespan(in, kernel, Rule::two_banks).si;
        double const exclusive = makespan(in, kernel, Rule::exclusive).si;
        ASSERT_LE(free, banks + 1e-12);
        ASSERT_LE(banks, exclusive + 1e-12);
        ASSERT_NEAR(exclusive, sum_in + sum_kernel, 1e-9);
        ASSERT_GE(free, std::max(sum_in, sum_kernel) - 1e-12);
    }
}

TEST(Pipeline, uncovered_time_is_what_neither_other_interval_hides) {
    std::vector<Interval> const in{{sim::Time{0}, sim::Time{4}}, {sim::Time{3}, sim::Time{6}}};
    std::vector<Interval> const hidden{{sim::Time{1}, sim::Time{2}}, {sim::Time{5}, sim::Time{9}}};
    EXPECT_DOUBLE_EQ(covered_alone(in, hidden).si, 4.0);
    EXPECT_DOUBLE_EQ(covered_alone(in, {}).si, 6.0);
    EXPECT_DOUBLE_EQ(covered_alone({}, hidden).si, 0.0);
}

TEST(Pipeline, bound_of_equal_streams_is_reached_by_equal_streams_and_never_passed) {
    EXPECT_NEAR(sim::equal_streams_bound(16, 0.0), 1.882, 5e-4);
    for (std::size_t n = 1; n <= 64; n *= 2) {
        std::vector<sim::Time> const pieces(n, sim::Time{1.0 / static_cast<double>(n)});
        double const speedup = 2.0 / makespan(pieces, pieces, Rule::unlimited).si;
        EXPECT_NEAR(speedup, sim::equal_streams_bound(static_cast<double>(n), 0.0), 1e-12);
    }
}

TEST(Pipeline, stage_that_follows_an_unknown_one_is_a_broken_contract) {
    Pipeline pipeline(1);
    EXPECT_ANY_THROW(pipeline.add(sim::Time{1.0}, {}, std::array<std::size_t, 1>{7}));
    EXPECT_ANY_THROW(pipeline.add(sim::Time{1.0}, std::array<std::size_t, 1>{1}));
    EXPECT_ANY_THROW(pipeline.add(sim::Time{-1.0}, {}));
}

}  // namespace pimdse::models::upmem::pipeline_test
