#include "dse/cli/run/progress.hpp"

#include "dse/cli/counted.hpp"
#include "dse/cli/options.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <iostream>

namespace pimdse::dse::cli::run {
namespace {

std::string numbers(Progress const& p, Pace const& pace) {
    double const rate = pace.rate();
    std::string text = fmt::format("{}/{}", p.told, counted(p.planned, p.standing ? "evaluation" : "point"));
    if (rate > 0.0)
        text +=
            fmt::format(", {:.{}f}/s, {} left", rate, rate < 10.0 ? 1 : 0, print_duration(pace.seconds_to(p.planned)));
    text += fmt::format(", front {}", p.front);
    if (p.front_of < p.kept) text += fmt::format(" (of {} answers)", p.front_of);
    if (p.infeasible > 0) text += fmt::format(", infeasible {}", p.infeasible);
    if (p.failed > 0) text += fmt::format(", failed {}", p.failed);
    if (p.standing) text += "; " + text_of(*p.standing);
    return text;
}

std::string bar(Progress const& p) {
    constexpr int width = 24;
    double const share = p.told < p.planned ? static_cast<double>(p.told) / static_cast<double>(p.planned) : 1.0;
    int const full = static_cast<int>(share * width);
    return fmt::format("[{}{}] {:3.0f} %", std::string(static_cast<std::size_t>(full), '#'),
                       std::string(static_cast<std::size_t>(width - full), '.'), std::floor(share * 100.0));
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
    constexpr double seconds_between_lines = 60.0;
    pace_.see(progress.seconds, progress.told);
    if (style_ == ProgressStyle::bar) {
        std::cerr << "\r\033[K" << bar(progress) << "  " << numbers(progress, pace_) << std::flush;
        drawn_ = true;
    } else if (style_ == ProgressStyle::plain && progress.seconds >= next_plain_) {
        std::cerr << "pimdse: " << numbers(progress, pace_) << "\n";
        next_plain_ = progress.seconds + seconds_between_lines;
    }
}

void ProgressLine::finish() {
    if (drawn_) std::cerr << "\n";
    drawn_ = false;
}

}  // namespace pimdse::dse::cli::run
