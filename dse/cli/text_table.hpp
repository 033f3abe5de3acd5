#pragma once

#include "dse/cli/options.hpp"

#include <cstddef>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::cli {

/// Rows of cells printed in aligned columns; numbers to the right. The first row is the head.
class TextTable {
  public:
    explicit TextTable(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    /// `width`: of the screen; 0: any. What is wider has its last column broken between words if that is prose, or else
    /// comes in parts, one below the other, each with the first column.
    [[nodiscard]] std::string text(std::size_t width = 0) const;
    [[nodiscard]] std::string csv() const;

  private:
    std::vector<std::vector<std::string>> rows_;
};

/// Columns of the terminal that standard output is, or what COLUMNS says; 0 where nobody knows, as in a pipe.
[[nodiscard]] std::size_t screen_width();

/// The text broken between words so that no line is wider, if that is possible; further lines begin with `indent`
/// spaces. Width 0: as it is.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 4);

/// On standard output: csv, or a text as wide as the screen.
inline void print_table(TextTable const& table, Format format) {
    std::cout << (format == Format::csv ? table.csv() : table.text(screen_width()));
}

}  // namespace pimdse::dse::cli
