#include "sim/base/check.hpp"
#include "sim/base/random.hpp"
#include "sim/serving/arrivals.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"
#include "tests/unit/sim/serving/written_table.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

/// Arrivals and lengths that are drawn.
namespace pimdse::sim::serving::test::traffic_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Moments {
    double mean = 0.0, deviation = 0.0;
};

Moments moments_of(std::vector<double> const& values) {
    auto const n = static_cast<double>(values.size());
    double const mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0.0;
    for (double const value : values) squares += (value - mean) * (value - mean);
    return {mean, std::sqrt(squares / n)};
}

std::vector<double> gaps_of(ArrivalSettings const& settings, std::size_t count) {
    auto const times = arrival_times(settings, count + 1);
    std::vector<double> gaps(count);
    for (std::size_t i = 0; i < count; ++i) gaps[i] = times[i + 1] - times[i];
    return gaps;
}

TEST(Arrivals, have_the_rate_and_the_variation_that_they_are_given) {
    struct Wanted {
        ArrivalProcess process;
        double cv, tolerance;
    };
    for (auto const& wanted : std::vector<Wanted>{{ArrivalProcess::poisson, 1.0, 0.01},
                                                  {ArrivalProcess::gamma, 1.0, 0.01},
                                                  {ArrivalProcess::gamma, 0.3, 0.01},
                                                  {ArrivalProcess::gamma, 1.09, 0.01},
                                                  {ArrivalProcess::gamma, 4.0, 0.05},
                                                  {ArrivalProcess::gamma, 13.2, 0.15}}) {
        auto const found = moments_of(gaps_of({wanted.process, 8.0, wanted.cv, 5}, 200'000));
        EXPECT_NEAR(found.mean * 8.0, 1.0, wanted.tolerance) << wanted.cv;
        EXPECT_NEAR(found.deviation / found.mean, wanted.cv, wanted.tolerance * wanted.cv) << wanted.cv;
    }
    for (double const gap : gaps_of({ArrivalProcess::uniform, 4.0, 1.0, 5}, 100)) EXPECT_EQ(gap, 0.25);
}

TEST(Arrivals, have_exactly_the_rate_and_are_ordered) {
    for (auto const process : {ArrivalProcess::poisson, ArrivalProcess::gamma, ArrivalProcess::uniform}) {
        auto const times = arrival_times({process, 3.0, 13.2, 9}, 5000);
        ASSERT_EQ(times.size(), 5000U);
        EXPECT_EQ(times.back(), 5000.0 / 3.0) << "the last request ends the last gap";
        EXPECT_GT(times.front(), 0.0);
        EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
        EXPECT_TRUE(arrival_times({process, 3.0, 13.2, 9}, 0).empty());
    }
}

/// The distribution of gaps, not only its moments: the share of gaps below a mean gap is 1 - 1/e.
TEST(Arrivals, of_a_poisson_process_have_exponential_gaps) {
    for (auto const process : {ArrivalProcess::poisson, ArrivalProcess::gamma}) {
        auto const gaps = gaps_of({process, 1.0, 1.0, 3}, 200'000);
        for (double const at : {0.1, 0.5, 1.0, 3.0}) {
            auto const below = std::count_if(gaps.begin(), gaps.end(), [&](double gap) { return gap < at; });
            EXPECT_NEAR(static_cast<double>(below) / 200'000.0, 1.0 - std::exp(-at), 0.005);
        }
    }
}

TEST(Arrivals, of_a_seed_are_the_same_at_every_rate_but_for_scale) {
    ArrivalSettings settings{ArrivalProcess::gamma, 1.0, 2.0, 7};
    auto const slow = arrival_times(settings, 100);
    EXPECT_EQ(arrival_times(settings, 100), slow);
    settings.rate = 4.0;
    auto const fast = arrival_times(settings, 100);
    for (std::size_t i = 0; i < slow.size(); ++i) EXPECT_EQ(4.0 * fast[i], slow[i]);
    settings.seed = 8;
    EXPECT_NE(arrival_times(settings, 100), fast);
}

/// Bits that a change of the generator would change: traffic of a seed is part of a result.
TEST(Arrivals, of_seed_1_stay_what_they_are) {
    auto const times = arrival_times({ArrivalProcess::poisson, 10.0, 1.0, 1}, 4);
    EXPECT_NEAR(times[1], 0.23004507615601882, 1e-12);
    EXPECT_EQ(times[3], 0.4);
}

TEST(Arrivals, need_a_rate) {
    for (double const rate : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
        EXPECT_THROW((void)arrival_times({ArrivalProcess::poisson, rate, 1.0, 1}, 3), InputError);
        EXPECT_THROW((void)arrival_times({ArrivalProcess::gamma, 1.0, rate, 1}, 3), InputError);
    }
}

TEST(Variates, of_normal_and_gamma_have_their_moments) {
    Variates draws(1, 1);
    std::vector<double> normal, gamma;
    for (int i = 0; i < 200'000; ++i) {
        normal.push_back(draws.normal());
        gamma.push_back(draws.gamma(2.5));
    }
    EXPECT_NEAR(moments_of(normal).mean, 0.0, 0.01);
    EXPECT_NEAR(moments_of(normal).deviation, 1.0, 0.01);
    EXPECT_NEAR(moments_of(gamma).mean, 2.5, 0.02);
    EXPECT_NEAR(moments_of(gamma).deviation, std::sqrt(2.5), 0.02);
    EXPECT_THROW((void)draws.gamma(0.0), ContractViolation);
}

TEST(Lengths, have_the_mean_and_the_percentile_that_they_are_given) {
    for (auto const& [mean, p90] : std::vector<std::pair<double, double>>{{1000, 2000}, {250, 480}, {500, 500}}) {
        auto lengths = lognormal_lengths(mean, p90, 3, 0, 200'000);
        double const found = std::accumulate(lengths.begin(), lengths.end(), 0.0) / 200'000.0;
        EXPECT_NEAR(found, mean, 0.01 * mean);
        std::sort(lengths.begin(), lengths.end());
        EXPECT_NEAR(static_cast<double>(lengths[180'000]), p90, 0.01 * p90);
        EXPECT_GE(lengths.front(), 1);
    }
    EXPECT_NE(lognormal_lengths(1000, 2000, 3, 0, 10), lognormal_lengths(1000, 2000, 3, 1, 10));
    EXPECT_EQ(lognormal_lengths(1000, 2000, 3, 1, 10), lognormal_lengths(1000, 2000, 3, 1, 10));
}

TEST(Lengths, that_no_distribution_has_are_refused) {
    auto const refusal = [](double mean, double p90) -> std::string {
        return refusal_by([&] { (void)lognormal_lengths(mean, p90, 1, 0, 1); });
    };
    EXPECT_THAT(refusal(100, 300), says("wide"));
    EXPECT_THAT(refusal(100, 90), says("below-the-mean"));
    EXPECT_THAT(refusal(0, 10), says("no-mean"));
    EXPECT_NE(refusal(nan, 10), "");
    EXPECT_NE(refusal(100, nan), "");
}

TEST(Lengths, of_a_file_begin_again_at_its_end) {
    WrittenTable const table("input_tokens,tokens\n5,7\n6,8\n");
    EXPECT_EQ(lengths_of_file(table.path(), "tokens", 5), (std::vector<std::int64_t>{7, 8, 7, 8, 7}));
    EXPECT_EQ(lengths_of_file(table.path(), "input_tokens", 1), (std::vector<std::int64_t>{5}));
    EXPECT_THROW((void)lengths_of_file(table.path(), "output_tokens", 1), InputError);
    EXPECT_THROW((void)lengths_of_file(WrittenTable("tokens\n").path(), "tokens", 1), InputError);
}

}  // namespace
}  // namespace pimdse::sim::serving::test::traffic_test
