#pragma once

#include "dse/cli/run/pace.hpp"
#include "dse/explore.hpp"

#include <string>

namespace pimdse::dse::cli::run {

enum class ProgressStyle { bar, plain, none };

/// "auto" is a bar on a terminal and plain lines elsewhere. Throws UsageError.
[[nodiscard]] ProgressStyle progress_style(std::string const& name);

/// Shows on stderr how far an exploration is: points, rate, time left, infeasible, failed, front; of a search
/// that closes points by bounds, where it stands.
class ProgressLine {
  public:
    explicit ProgressLine(ProgressStyle style) : style_(style) {}
    void show(Progress const& progress);
    void finish();  ///< ends a bar's line

  private:
    ProgressStyle style_;
    Pace pace_;                ///< of answers told
    double next_plain_ = 5.0;  ///< s: when the next line is due; the first comes soon, others once a minute
    bool drawn_ = false;
};

}  // namespace pimdse::dse::cli::run
