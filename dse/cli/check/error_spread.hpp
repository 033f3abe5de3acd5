#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pimdse::dse::cli::check {

/// Relative errors of some rows.
class ErrorSpread {
  public:
    void add(double error) { errors_.push_back(error); }
    [[nodiscard]] std::size_t size() const { return errors_.size(); }
    /// 0 of no errors, like worst().
    [[nodiscard]] double median() const {
        auto sorted = errors_;
        std::sort(sorted.begin(), sorted.end());
        std::size_t const n = sorted.size();
        return n == 0 ? 0.0 : n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0;
    }
    [[nodiscard]] double worst() const {
        return errors_.empty() ? 0.0 : *std::max_element(errors_.begin(), errors_.end());
    }

  private:
    std::vector<double> errors_;
};

}  // namespace pimdse::dse::cli::check
