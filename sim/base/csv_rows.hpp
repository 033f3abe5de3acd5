#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::sim {

/// Rows of a table of comma-separated cells (csv.hpp) whose first line names the columns, read line by line: a file may
/// be larger than the memory. Empty lines and lines that begin with '#' do not count. All errors are InputErrors
/// "FILE:LINE: problem (reason). Suggestion?".
class CsvRows {
  public:
    /// Throws InputError if the file cannot be read, is empty, or lacks one of `columns`; other columns are ignored.
    CsvRows(std::filesystem::path const& file, std::vector<std::string> columns);
    /// The same for a text that was read from the file `name`.
    CsvRows(std::string const& text, std::string name, std::vector<std::string> columns);
    /// Cells of the next row, in the order of `columns`; nullopt at the end. Throws InputError for a row without them;
    /// the next call then reads the row after it.
    [[nodiscard]] std::optional<std::vector<std::string>> next();
    /// The number of the current line; the first line has number 1.
    [[nodiscard]] std::int64_t line() const { return line_; }
    /// The error `problem` at the current line.
    [[noreturn]] void refuse(std::string const& problem) const;
    /// A cell as a finite number. Throws InputError.
    [[nodiscard]] double number(std::string const& cell, std::size_t column) const;
    /// The name of a column.
    [[nodiscard]] std::string const& name_of(std::size_t column) const { return columns_[column]; }

  private:
    void read_head();
    void find_columns(std::string const& head);
    [[nodiscard]] bool read_line(std::string& line);

    std::string name_;
    std::unique_ptr<std::istream> stream_;
    std::vector<std::string> columns_;
    std::vector<std::size_t> at_;  ///< positions of `columns_` in a row
    std::int64_t line_ = 0;
};

}  // namespace pimdse::sim
