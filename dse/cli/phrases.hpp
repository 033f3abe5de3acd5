#pragma once

#include "models/contract/architecture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::cli {

/// "decode: bank bandwidth, 88 % of 444 GB/s".
[[nodiscard]] std::string limit_text(models::PhaseLimit const& limit);

/// What limits each phase, then where time, energy and area go, a title and a line per share each; `of` goes before the
/// titles.
[[nodiscard]] std::string breakdown_text(models::Breakdown const& breakdown, std::string_view of = "");

/// Below a table: which of its metrics rest on constants that nobody published. "" where none does.
[[nodiscard]] inline std::string assumed_line(std::vector<std::string> const& metrics) {
    if (metrics.empty()) return "";
    return fmt::format("{} rest{} on assumed constants (pimdse describe ARCHITECTURE --ledger says which)\n",
                       fmt::join(metrics, ", "), metrics.size() == 1 ? "s" : "");
}

/// "1 point", "2 points".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace pimdse::dse::cli
