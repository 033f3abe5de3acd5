#pragma once

#include <chrono>

namespace pimdse::dse::cli::check {

/// Seconds since it was made.
class Stopwatch {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace pimdse::dse::cli::check
