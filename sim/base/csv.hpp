#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Tables of comma-separated cells (RFC 4180, a row per line).
namespace pimdse::sim {

/// A cell, quoted if necessary.
[[nodiscard]] std::string csv_cell(std::string const& text);

/// Cells of a line. Quoted cells may contain commas, and two quotes stand for one. A carriage return at the end of the
/// line is dropped.
[[nodiscard]] std::vector<std::string> csv_cells(std::string_view line);

}  // namespace pimdse::sim
