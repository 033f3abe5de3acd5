#pragma once

#include "dse/run/explore.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace pimdse::dse::cli {

/// How quickly a count grows lately: over the last half minute, or the last fifth of all that was seen if that is
/// longer, so that what was cheap or cold in the beginning is forgotten and single slow points are not all there is.
class Pace {
  public:
    /// Counts and times (s) never fall.
    void see(double seconds, std::uint64_t count);
    /// Per second; 0 while nothing is known.
    [[nodiscard]] double rate() const;
    /// Until the count is `planned`, s; NaN while nothing is known.
    [[nodiscard]] double seconds_to(std::uint64_t planned) const;

  private:
    double begun_ = 0.0;
    bool seen_any_ = false;
    std::deque<std::pair<double, std::uint64_t>> seen_;
};

/// "1.2 s", "3 min 20 s", "5 h 2 min"
[[nodiscard]] std::string print_duration(double seconds);

enum class ProgressStyle { bar, plain, none };

/// "auto" is a bar on a terminal and plain lines elsewhere. Throws UsageError.
[[nodiscard]] ProgressStyle progress_style(std::string const& name);

/// Shows on stderr how far an exploration is: points, rate, time left, infeasible, failed, front; of a search
/// that closes points by bounds, where it stands.
class ProgressLine {
  public:
    explicit ProgressLine(ProgressStyle style) : style_(style) {}
    void show(run::Progress const& progress);
    void finish();  ///< ends a bar's line

  private:
    ProgressStyle style_;
    Pace pace_;                ///< of answers told
    double next_plain_ = 5.0;  ///< s: when the next line is due; the first comes soon, others once a minute
    bool drawn_ = false;
};

}  // namespace pimdse::dse::cli
