#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// Below a table: which of its metrics rest on constants that nobody published. "" where none does.
[[nodiscard]] inline std::string assumed_line(std::vector<std::string> const& metrics) {
    if (metrics.empty()) return "";
    return fmt::format("{} rest{} on assumed constants (pimdse describe ARCHITECTURE --ledger says which)\n",
                       fmt::join(metrics, ", "), metrics.size() == 1 ? "s" : "");
}

}  // namespace pimdse::dse::cli
