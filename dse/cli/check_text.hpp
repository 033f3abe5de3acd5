#pragma once

#include "dse/cli/options.hpp"
#include "sim/base/json.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace pimdse::dse::cli {

/// Prints the result of one simulation: as JSON, or one line per field.
void print_result(sim::Json const& result, Format format);

/// The relative errors of a set of rows.
class ErrorSpread {
  public:
    void add(double error) { errors_.push_back(error); }
    [[nodiscard]] std::size_t size() const { return errors_.size(); }
    /// Nothing if there are no errors; the same holds for worst().
    [[nodiscard]] std::optional<double> median() const {
        if (errors_.empty()) return std::nullopt;
        auto sorted = errors_;
        std::sort(sorted.begin(), sorted.end());
        std::size_t const n = sorted.size();
        return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0;
    }
    [[nodiscard]] std::optional<double> worst() const {
        if (errors_.empty()) return std::nullopt;
        return *std::max_element(errors_.begin(), errors_.end());
    }

  private:
    std::vector<double> errors_;
};

/// Measures the time since its construction.
class Stopwatch {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace pimdse::dse::cli
