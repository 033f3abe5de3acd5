#include "dse/cli/run/pace.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::dse::cli::run {

void Pace::see(double seconds, std::uint64_t count) {
    constexpr double least_window = 30.0, window_share = 0.2;
    if (!seen_any_) begun_ = seconds;
    seen_any_ = true;
    seen_.emplace_back(seconds, count);
    double const window = std::max(least_window, window_share * (seconds - begun_));
    while (seen_.size() > 2 && seconds - seen_[1].first >= window) seen_.pop_front();
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

}  // namespace pimdse::dse::cli::run
