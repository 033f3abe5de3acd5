#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Tables of comma-separated cells (RFC 4180, a row per line).
namespace pimdse::sim {

/// A cell, quoted where it must be.
[[nodiscard]] std::string csv_cell(std::string const& text);

/// The cells of a line; quoted ones may hold commas, and quotes twice. A carriage return at the end is none of them.
[[nodiscard]] std::vector<std::string> csv_cells(std::string_view line);

}  // namespace pimdse::sim
