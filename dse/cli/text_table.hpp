#pragma once

#include "dse/cli/options.hpp"
#include "sim/base/json.hpp"

#include <cstddef>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::cli {

/// Rows of cells printed in aligned columns, with numbers aligned to the right. The first row is the heading.
class TextTable {
  public:
    explicit TextTable(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    /// `width`: columns of the screen; 0: unlimited. In a wider table the last column is wrapped between words if it is
    /// prose; otherwise the table is printed in parts, one below the other, each with the first column.
    [[nodiscard]] std::string text(std::size_t width = 0) const;
    [[nodiscard]] std::string csv() const;
    /// An object for each row, whose keys are the heading.
    [[nodiscard]] sim::Json json() const;

  private:
    std::vector<std::vector<std::string>> rows_;
};

/// The width given by COLUMNS, or else that of the terminal on standard output; 0 if unknown, as in a pipe.
[[nodiscard]] std::size_t screen_width();

/// The text wrapped between words so that no line is wider than `width`, if possible; continuation lines begin with
/// `indent` spaces. Width 0: unchanged.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 4);

/// Prints a value to standard output, and ends the line.
inline void print_json(sim::Json const& json) { std::cout << json.dump(2) << "\n"; }

/// Prints a table to standard output: as csv, or as text fitted to the screen.
inline void print_table(TextTable const& table, Format format) {
    std::cout << (format == Format::csv ? table.csv() : table.text(screen_width()));
}

}  // namespace pimdse::dse::cli
