#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace pimdse::dse::cli::check {

/// Relative errors of some rows.
class ErrorSpread {
  public:
    void add(double error) { errors_.push_back(error); }
    [[nodiscard]] std::size_t size() const { return errors_.size(); }
    /// Nothing of no errors, like worst().
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

}  // namespace pimdse::dse::cli::check
