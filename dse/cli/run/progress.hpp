#pragma once

#include "dse/explore.hpp"

#include <string>

namespace pimdse::dse::cli::run {

enum class ProgressStyle { bar, plain, none };

/// "auto" is a bar on a terminal and plain lines elsewhere. Throws UsageError.
[[nodiscard]] ProgressStyle progress_style(std::string const& name);

/// Shows on stderr how far an exploration is: points, rate, time left, infeasible, failed, front.
class ProgressLine {
  public:
    explicit ProgressLine(ProgressStyle style) : style_(style) {}
    void show(Progress const& progress);
    void finish();  ///< ends a bar's line

  private:
    ProgressStyle style_;
    double last_plain_ = 0.0;
    bool drawn_ = false;
};

/// "1.2 s", "3 min 20 s", "5 h 2 min"
[[nodiscard]] std::string print_duration(double seconds);

}  // namespace pimdse::dse::cli::run
