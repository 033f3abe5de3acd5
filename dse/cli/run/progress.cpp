#include "dse/cli/run/progress.hpp"

#include "dse/cli/options.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <cmath>
#include <iostream>

namespace pimdse::dse::cli::run {
namespace {

std::string numbers(Progress const& p) {
    double const rate = p.seconds > 0.0 ? static_cast<double>(p.evaluated) / p.seconds : 0.0;
    double const left = rate > 0.0 ? static_cast<double>(p.planned - std::min(p.planned, p.told)) / rate : 0.0;
    std::string text = fmt::format("{}/{} points", p.told, p.planned);
    if (rate > 0.0) text += fmt::format(", {:.{}f}/s, {} left", rate, rate < 10.0 ? 1 : 0, print_duration(left));
    text += fmt::format(", front {}", p.front);
    if (p.front_of < p.kept) text += fmt::format(" (of {} answers)", p.front_of);
    if (p.infeasible > 0) text += fmt::format(", infeasible {}", p.infeasible);
    if (p.failed > 0) text += fmt::format(", failed {}", p.failed);
    return text;
}

std::string bar(Progress const& p) {
    constexpr int width = 24;
    double const share = p.planned > 0 ? static_cast<double>(p.told) / static_cast<double>(p.planned) : 1.0;
    int const full = static_cast<int>(share * width);
    return fmt::format("[{}{}] {:3.0f} %", std::string(static_cast<std::size_t>(full), '#'),
                       std::string(static_cast<std::size_t>(width - full), '.'), share * 100.0);
}

}  // namespace

ProgressStyle progress_style(std::string const& name) {
    if (name == "auto") return ::isatty(STDERR_FILENO) != 0 ? ProgressStyle::bar : ProgressStyle::plain;
    if (name == "bar") return ProgressStyle::bar;
    if (name == "plain") return ProgressStyle::plain;
    if (name == "none") return ProgressStyle::none;
    throw UsageError(
        fmt::format("unknown progress style '{}'.{}", name, sim::suggestion(name, {"auto", "bar", "plain", "none"})));
}

void ProgressLine::show(Progress const& progress) {
    constexpr double seconds_between_plain_lines = 5.0;
    if (style_ == ProgressStyle::bar) {
        std::cerr << "\r\033[K" << bar(progress) << "  " << numbers(progress) << std::flush;
        drawn_ = true;
    } else if (style_ == ProgressStyle::plain && progress.seconds - last_plain_ >= seconds_between_plain_lines) {
        std::cerr << "pimdse: " << numbers(progress) << "\n";
        last_plain_ = progress.seconds;
    }
}

void ProgressLine::finish() {
    if (drawn_) std::cerr << "\n";
    drawn_ = false;
}

std::string print_duration(double seconds) {
    if (seconds < 60.0) return fmt::format("{:.1f} s", seconds);
    if (seconds < 3600.0)
        return fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / 60.0), std::fmod(seconds, 60.0));
    return fmt::format("{:.0f} h {:.0f} min", std::floor(seconds / 3600.0),
                       std::floor(std::fmod(seconds, 3600.0) / 60.0));
}

}  // namespace pimdse::dse::cli::run
