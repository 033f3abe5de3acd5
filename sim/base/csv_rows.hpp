#pragma once

#include "sim/base/line_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::sim {

/// Rows of a table of comma-separated cells whose first line names the columns, read line by line: a file may
/// be larger than the memory, and compressed by gzip. Empty lines and lines that begin with '#' do not count. All
/// errors are InputErrors "FILE:LINE: problem (reason). Suggestion?".
class CsvRows {
  public:
    /// Reads the names of the columns; none is chosen yet. Throws InputError if the file is empty.
    explicit CsvRows(LineReader lines);
    /// Chooses `columns`. Throws InputError if the file cannot be read, is empty, or lacks one of them; others are
    /// ignored.
    CsvRows(std::filesystem::path const& file, std::vector<std::string> columns);
    /// The same for a text that was read from the file `name`.
    CsvRows(std::string const& text, std::string name, std::vector<std::string> columns);

    /// The names that the first line has.
    [[nodiscard]] std::vector<std::string> const& names() const { return names_; }
    /// Chooses columns, of which the first `required` must have a cell in every row. Throws InputError for one that is
    /// missing or occurs twice.
    void choose(std::vector<std::string> columns, std::size_t required = std::numeric_limits<std::size_t>::max());
    /// Cells of the next row, in the order of the chosen columns, without blanks around them; nullopt at the end. Valid
    /// until the next call. Throws InputError for a row without a required cell, or with a cell below no name; the next
    /// call then reads the row after it.
    [[nodiscard]] std::optional<std::span<std::string_view const>> cells();
    /// The same as texts of their own.
    [[nodiscard]] std::optional<std::vector<std::string>> next();
    /// The number of the current line; the first line has number 1.
    [[nodiscard]] std::int64_t line() const { return lines_.line(); }
    /// The error `problem` at the current line.
    [[noreturn]] void refuse(std::string const& problem) const { lines_.refuse(problem); }
    /// A cell as a finite number. Throws InputError.
    [[nodiscard]] double number(std::string_view cell, std::size_t column) const;
    /// The name of a chosen column.
    [[nodiscard]] std::string const& name_of(std::size_t column) const { return columns_[column]; }

  private:
    [[nodiscard]] std::optional<std::string_view> content_line();
    void split_quoted(std::string_view line);

    LineReader lines_;
    std::string head_;
    std::vector<std::string> names_, columns_;
    std::size_t required_ = 0;
    std::vector<std::size_t> at_;          ///< positions of `columns_` in a row
    std::vector<std::string_view> row_;    ///< cells of a line
    std::vector<std::string> unquoted_;    ///< those of a line with quotes
    std::vector<std::string_view> found_;  ///< those of `columns_`
};

/// A cell, quoted if necessary.
[[nodiscard]] std::string csv_cell(std::string const& text);

/// Cells of a line. Quoted cells may contain commas, and two quotes stand for one. A carriage return at the end of the
/// line is dropped.
[[nodiscard]] std::vector<std::string> csv_cells(std::string_view line);

}  // namespace pimdse::sim
