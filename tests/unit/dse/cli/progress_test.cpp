#include "dse/cli/progress.hpp"

#include "dse/cli/options.hpp"
#include "dse/cli/progress.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <random>

namespace pimdse::dse::cli::progress_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string shown(ProgressLine& line, run::Progress const& progress) {
    ::testing::internal::CaptureStderr();
    line.show(progress);
    return ::testing::internal::GetCapturedStderr();
}

std::string bar_of(std::uint64_t told, std::uint64_t planned) {
    ProgressLine line(ProgressStyle::bar);
    run::Progress progress;
    progress.told = told;
    progress.planned = planned;
    return shown(line, progress);
}

TEST(ProgressBar, is_as_full_as_the_share_that_is_told) {
    for (std::uint64_t told = 0; told <= 240; ++told) {
        auto const text = bar_of(told, 240);
        auto const full = std::ranges::count(text, '#');
        EXPECT_EQ(full, static_cast<std::ptrdiff_t>(told / 10)) << text;
        EXPECT_EQ(full + std::ranges::count(text, '.'), 24) << text;
        EXPECT_THAT(text, HasSubstr(fmt::format("{}/240 points", told)));
    }
    EXPECT_THAT(bar_of(0, 0), HasSubstr("[########################] 100 %")) << "nothing to do is done";
}

// A plan may shrink: a search that ends early plans what it asked for.
TEST(ProgressBar, never_leaves_its_brackets) {
    EXPECT_THAT(bar_of(241, 240), HasSubstr("[########################] 100 %"));
    EXPECT_THAT(bar_of(1'000'000, 1), HasSubstr("[########################] 100 %"));
    constexpr auto max = std::numeric_limits<std::uint64_t>::max();
    EXPECT_THAT(bar_of(max, max), HasSubstr("[########################] 100 %"));
    EXPECT_THAT(bar_of(1, max), HasSubstr("[........................]   0 %"));
}

TEST(ProgressBar, is_not_done_before_the_last_point) {
    EXPECT_THAT(bar_of(9'999, 10'000), HasSubstr("]  99 %"));
    EXPECT_THAT(bar_of(9'950, 10'000), HasSubstr("]  99 %"));
    EXPECT_THAT(bar_of(10'000, 10'000), HasSubstr("] 100 %"));
}

TEST(ProgressLine, comes_after_five_seconds_and_then_once_a_minute) {
    ProgressLine line(ProgressStyle::plain);
    int lines = 0;
    for (int second = 0; second <= 300; ++second) {
        run::Progress progress;
        progress.seconds = second;
        progress.told = static_cast<std::uint64_t>(second);
        progress.planned = 1000;
        if (!shown(line, progress).empty()) {
            EXPECT_EQ((second - 5) % 60, 0) << second;
            ++lines;
        }
    }
    EXPECT_EQ(lines, 5);
    ProgressLine none(ProgressStyle::none);
    run::Progress late;
    late.seconds = 1e6;
    EXPECT_EQ(shown(none, late), "");
}

TEST(ProgressLine, says_what_there_is_and_nothing_of_what_there_is_not) {
    ProgressLine line(ProgressStyle::bar);
    run::Progress progress;
    progress.told = 10;
    progress.planned = 100;
    progress.kept = progress.front_of = 10;
    progress.front = 4;
    auto const first = shown(line, progress);
    EXPECT_THAT(first, HasSubstr("10/100 points, front 4"));
    for (auto const* part : {"left", "/s", "infeasible", "failed", "of 10 results"})
        EXPECT_THAT(first, Not(HasSubstr(part)));
    progress.seconds = 2.0;
    progress.told = 20;
    progress.kept = 20;
    progress.infeasible = 3;
    progress.failed = 1;
    EXPECT_THAT(shown(line, progress),
                HasSubstr("20/100 points, 5.0/s, 16.0 s left, front 4 (of 10 results), infeasible 3, failed 1"));
}

TEST(ProgressLine, of_a_search_by_bounds_is_as_full_as_points_are_decided_and_says_no_time) {
    ProgressLine line(ProgressStyle::bar);
    run::Progress progress;
    progress.planned = 1000;
    progress.standing = search::Standing{.pruned = 300, .in_flight = 20, .open = 280};
    (void)shown(line, progress);
    progress.seconds = 2.0;
    progress.told = 990;
    auto const text = shown(line, progress);
    EXPECT_THAT(text, HasSubstr("[############............]  50 %  990 evaluations, 495/s, front 0; pruned 300"));
    EXPECT_THAT(text, Not(HasSubstr("left")));
    progress.standing = search::Standing{.pruned = 600};
    EXPECT_THAT(shown(line, progress), HasSubstr("] 100 %"));
}

/// After half of 100 points, 2 s from the begin that the line was shown.
run::Progress half_way(ProgressLine& line) {
    run::Progress progress;
    progress.planned = 100;
    (void)shown(line, progress);
    progress.seconds = 2.0;
    progress.told = 50;
    return progress;
}

TEST(ProgressLine, says_the_time_that_the_search_expects) {
    ProgressLine line(ProgressStyle::bar);
    auto progress = half_way(line);
    EXPECT_THAT(shown(line, progress), HasSubstr("50/100 points, 25/s, 2.0 s left"));
    progress.left = {7.0, 7.0};
    EXPECT_THAT(shown(line, progress), HasSubstr("50/100 points, 25/s, 7.0 s left"));
}

/// One time only if it is known within a factor of two.
TEST(ProgressLine, says_both_ends_of_a_time_that_is_hardly_known) {
    ProgressLine line(ProgressStyle::bar);
    auto progress = half_way(line);
    auto const left = [&](double least, double most) {
        progress.left = {least, most};
        return shown(line, progress);
    };
    EXPECT_THAT(left(5.0, 20.0), HasSubstr("25/s, 10.0 s left"));
    EXPECT_THAT(left(5.0, 80.0), HasSubstr("25/s, 5.0 s to 1 min 20 s left"));
    EXPECT_THAT(left(0.0, 80.0), HasSubstr("25/s, at most 1 min 20 s left"));
    EXPECT_THAT(left(0.0, 0.0), HasSubstr("25/s, 0.0 s left"));
    auto const unknown = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(left(unknown, unknown), Not(HasSubstr("left")));
}

TEST(ProgressStyle, is_one_of_four_words) {
    EXPECT_EQ(progress_style("bar"), ProgressStyle::bar);
    EXPECT_EQ(progress_style("plain"), ProgressStyle::plain);
    EXPECT_EQ(progress_style("none"), ProgressStyle::none);
    EXPECT_NO_THROW((void)progress_style("auto"));
    EXPECT_THROW((void)progress_style("bars"), UsageError);
    EXPECT_THROW((void)progress_style(""), UsageError);
}

/// Seconds that a printed duration says.
double said_by(std::string const& text) {
    double sum = 0.0, number = 0.0;
    char unit[8] = "";
    int used = 0;
    for (auto const* at = text.c_str(); std::sscanf(at, "%lf %7s%n", &number, unit, &used) == 2; at += used)
        sum += number * (unit[0] == 'h' ? 3600.0 : unit[0] == 'm' ? 60.0 : 1.0);
    return sum;
}

TEST(Durations, say_any_time_within_half_of_their_last_digit) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 20000; ++round) {
        double const seconds = std::exp(std::uniform_real_distribution(-3.0, 15.0)(random));
        auto const text = print_duration(seconds);
        double const digit = text.find('h') != text.npos ? 60.0 : text.find("min") != text.npos ? 1.0 : 0.1;
        EXPECT_NEAR(said_by(text), seconds, 0.5 * digit * (1.0 + 1e-9)) << text;
        for (auto const* sixty : {" 60 s", " 60.0 s", " 60 min"})
            EXPECT_THAT(" " + text, Not(HasSubstr(sixty))) << seconds;
    }
}

/// The count over the time between the first look in the window and the last one, from all looks.
TEST(Pace, is_that_of_the_last_fifth_or_half_minute_or_128_of_all_that_was_seen) {
    std::mt19937 random(2);
    for (int round = 0; round < 50; ++round) {
        Pace pace;
        std::vector<std::pair<double, std::uint64_t>> looks;
        double now = static_cast<double>(random() % 100);
        std::uint64_t count = random() % 1000;
        for (int look = 0; look < 200; ++look) {
            pace.see(now, count);
            looks.emplace_back(now, count);
            double const window = std::max(30.0, 0.2 * (now - looks.front().first));
            auto first = looks.size() - 1;  // the latest look that is as old as the window, or else the oldest
            while (first > 0 && (now - looks[first].first < window || count - looks[first].second < 128)) --first;
            if (looks.size() > 1) first = std::min(first, looks.size() - 2);
            double const seconds = now - looks[first].first;
            double const wanted = seconds > 0.0 ? static_cast<double>(count - looks[first].second) / seconds : 0.0;
            EXPECT_DOUBLE_EQ(pace.rate(), wanted) << look;
            now += static_cast<double>(random() % 400) / 10.0;
            count += random() % 50;
        }
    }
}

}  // namespace
}  // namespace pimdse::dse::cli::progress_test
