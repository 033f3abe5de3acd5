#pragma once

#include "dse/cli/options.hpp"
#include "dse/run/explore.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace pimdse::dse::cli {

/// The recent growth rate of a count: over the last half minute, the last fifth of the observed time, or the last 128
/// counted, whichever is longest. Thus cheap points or cold caches at the beginning are forgotten, and single slow
/// points do not dominate.
class Pace {
  public:
    /// Adds an observation. Counts and times (s) must not decrease.
    void see(double seconds, std::uint64_t count);
    /// Growth per second; 0 while it is unknown.
    [[nodiscard]] double rate() const;
    /// Time until the count reaches `planned`, s; NaN while it is unknown.
    [[nodiscard]] double seconds_to(std::uint64_t planned) const;

  private:
    double begun_ = 0.0;
    bool seen_any_ = false;
    std::deque<std::pair<double, std::uint64_t>> seen_;
};

/// A duration as "1.2 s", "3 min 20 s" or "5 h 2 min".
[[nodiscard]] std::string print_duration(double seconds);

enum class ProgressStyle { bar, plain, none };

/// The style of this name; "auto" is a bar on a terminal and plain lines elsewhere. Throws UsageError.
[[nodiscard]] ProgressStyle progress_style(std::string const& name);

/// Shows the progress of an exploration on stderr: points, rate, time left, infeasible, failed, front; for a search
/// that prunes points by bounds also its status.
class ProgressLine {
  public:
    explicit ProgressLine(ProgressStyle style) : style_(style) {}
    void show(run::Progress const& progress);
    /// Names a step after the exploration; what show() shows from now on belongs to it.
    void say(std::string const& step);
    void finish();  ///< ends the line of a bar

  private:
    ProgressStyle style_;
    Pace pace_;                ///< of results received
    double next_plain_ = 5.0;  ///< s: when the next line is due; the first after 5 s, then once a minute
    bool drawn_ = false;
    bool step_ = false;  ///< after the exploration: no front is shown
};

}  // namespace pimdse::dse::cli
