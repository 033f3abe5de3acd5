#include "dse/cli/progress.hpp"

#include "dse/cli/phrases.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

namespace pimdse::dse::cli {
namespace {

/// The middle of an interval that is known within a factor of two, otherwise both ends.
std::string text_of(search::TimeLeft const& left) {
    if (!std::isfinite(left.most)) return "";
    constexpr double narrow = 4.0, tenth = 0.1;
    if (left.most <= narrow * left.least)
        return fmt::format(", {} left", print_duration(std::sqrt(left.least * left.most)));
    if (left.least < tenth) return fmt::format(", at most {} left", print_duration(left.most));
    return fmt::format(", {} to {} left", print_duration(left.least), print_duration(left.most));
}

std::string numbers(run::Progress const& p, Pace const& pace, bool with_front) {
    double const rate = pace.rate();
    // How many points bounds will decide, and when, is not known before.
    std::string text =
        p.standing ? counted(p.told, "evaluation") : fmt::format("{}/{}", p.told, counted(p.planned, "point"));
    if (rate > 0.0) text += fmt::format(", {:.{}f}/s", rate, rate < 10.0 ? 1 : 0);
    double const paced = pace.seconds_to(p.planned);
    if (rate > 0.0 && !p.standing) text += text_of(p.left.value_or(search::TimeLeft{paced, paced}));
    if (!with_front) return text;
    text += fmt::format(", front {}", p.front);
    if (p.front_of < p.kept) text += fmt::format(" (of {} results)", p.front_of);
    if (p.infeasible > 0) text += fmt::format(", infeasible {}", p.infeasible);
    if (p.failed > 0) text += fmt::format(", failed {}", p.failed);
    if (p.standing) text += "; " + text_of(*p.standing);
    return text;
}

std::string bar(run::Progress const& p) {
    constexpr int width = 24;
    auto const done = p.standing ? p.standing->pruned : p.told;
    auto const all = p.standing ? done + p.standing->open + p.standing->in_flight : p.planned;
    double const share = done < all ? static_cast<double>(done) / static_cast<double>(all) : 1.0;
    int const full = static_cast<int>(share * width);
    return fmt::format("[{}{}] {:3.0f} %", std::string(static_cast<std::size_t>(full), '#'),
                       std::string(static_cast<std::size_t>(width - full), '.'), std::floor(share * 100.0));
}

}  // namespace

ProgressStyle progress_style(std::string const& name) {
    auto const position = position_of("--progress", name, {"auto", "bar", "plain", "none"});
    if (position == 0) return ::isatty(STDERR_FILENO) != 0 ? ProgressStyle::bar : ProgressStyle::plain;
    return static_cast<ProgressStyle>(position - 1);
}

void ProgressLine::show(run::Progress const& progress) {
    constexpr double seconds_between_lines = 60.0;
    pace_.see(progress.seconds, progress.told);
    if (style_ == ProgressStyle::bar) {
        std::cerr << "\r\033[K" << bar(progress) << "  " << numbers(progress, pace_, !step_) << std::flush;
        drawn_ = true;
    } else if (style_ == ProgressStyle::plain && progress.seconds >= next_plain_) {
        std::cerr << "pimdse: " << numbers(progress, pace_, !step_) << "\n";
        next_plain_ = progress.seconds + seconds_between_lines;
    }
}

void ProgressLine::say(std::string const& step) {
    finish();
    if (style_ != ProgressStyle::none) std::cerr << "pimdse: " << step << "\n";
    pace_ = {};
    next_plain_ = 5.0;
    step_ = true;
}

void ProgressLine::finish() {
    if (drawn_) std::cerr << "\n";
    drawn_ = false;
}

void Pace::see(double seconds, std::uint64_t count) {
    constexpr double min_window = 30.0, window_share = 0.2;
    constexpr std::uint64_t min_count = 128;
    if (!seen_any_) begun_ = seconds;
    seen_any_ = true;
    seen_.emplace_back(seconds, count);
    double const window = std::max(min_window, window_share * (seconds - begun_));
    while (seen_.size() > 2 && seconds - seen_[1].first >= window && count - seen_[1].second >= min_count)
        seen_.pop_front();
}

double Pace::rate() const {
    if (seen_.empty()) return 0.0;
    double const seconds = seen_.back().first - seen_.front().first;
    return seconds > 0.0 ? static_cast<double>(seen_.back().second - seen_.front().second) / seconds : 0.0;
}

double Pace::seconds_to(std::uint64_t planned) const {
    double const per_second = rate();
    if (!(per_second > 0.0)) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(planned - std::min(planned, seen_.back().second)) / per_second;
}

std::string print_duration(double seconds) {
    constexpr double minute = 60.0, hour = 3600.0, tenth = 0.05;
    if (seconds < minute - tenth) return fmt::format("{:.1f} s", seconds);
    double const whole = std::round(seconds);
    if (whole < hour) return fmt::format("{:.0f} min {:.0f} s", std::floor(whole / minute), std::fmod(whole, minute));
    double const minutes = std::round(seconds / minute);
    return fmt::format("{:.0f} h {:.0f} min", std::floor(minutes / minute), std::fmod(minutes, minute));
}

}  // namespace pimdse::dse::cli
