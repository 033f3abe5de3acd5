#pragma once

#include "dse/cli/options.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/breakdown.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::cli {

/// "decode: bank bandwidth, 88 % of 444 GB/s".
[[nodiscard]] std::string limit_text(models::PhaseLimit const& limit);

/// The limiter of each phase, then the breakdowns of time, energy, area and silicon, each with a title and a line per
/// share. `prefix` precedes the titles.
[[nodiscard]] std::string breakdown_text(models::Breakdown const& breakdown, std::string_view prefix = "");

/// The line below a table that names its metrics which rest on unpublished, assumed constants; "" if there are none.
[[nodiscard]] inline std::string assumed_line(std::vector<std::string> const& metrics) {
    if (metrics.empty()) return "";
    return fmt::format("{} rest{} on assumed constants (listed by pimdse describe ARCHITECTURE --ledger)\n",
                       fmt::join(metrics, ", "), metrics.size() == 1 ? "s" : "");
}

/// The rows of the ledger of energy that a machine does not state although it states others, so that its joules are
/// partial.
[[nodiscard]] std::vector<std::string_view> energy_not_stated(models::Architecture const& architecture);

/// The line that says so, below what compares its energy; "" for a machine that states every row, or none.
[[nodiscard]] std::string partial_line(models::Architecture const& architecture);

/// A share in per cent: "12.5 %", "1200 %".
[[nodiscard]] std::string percent(double share);

/// "1 point", "2 points".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

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

}  // namespace pimdse::dse::cli
