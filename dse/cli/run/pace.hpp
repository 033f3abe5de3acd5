#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace pimdse::dse::cli::run {

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

}  // namespace pimdse::dse::cli::run
