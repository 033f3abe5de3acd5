#pragma once

#include "sim/serving/scheduler.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::sim::serving {

/// Most tokens of a prompt, and most tokens that are generated.
inline constexpr std::int64_t max_tokens = std::int64_t{1} << 30;

/// Rows of a table of comma-separated numbers whose first line names the columns, read line by line: a file may be
/// larger than the memory. Empty lines do not count. All errors are InputErrors "FILE:LINE: problem (reason).
/// Suggestion?".
class NumberRows {
  public:
    /// Throws InputError if the file cannot be read, is empty, or lacks one of `columns`; other columns are ignored.
    NumberRows(std::filesystem::path const& file, std::vector<std::string> columns);
    /// Cells of the next row, in the order of `columns`; nullopt at the end. The texts are valid until the next call.
    /// Throws InputError for a row without them.
    [[nodiscard]] std::optional<std::vector<std::string>> next();
    /// The error `problem` at the current line.
    [[noreturn]] void refuse(std::string const& problem) const;
    /// A cell as a whole number from 1 to max_tokens. Throws InputError.
    [[nodiscard]] std::int64_t tokens(std::string const& cell, std::size_t column) const;
    /// A cell as a finite number. Throws InputError.
    [[nodiscard]] double number(std::string const& cell, std::size_t column) const;

  private:
    void find_columns(std::string const& head);
    [[nodiscard]] bool read_line(std::string& line);

    std::string name_;
    std::ifstream stream_;
    std::vector<std::string> columns_;
    std::vector<std::size_t> at_;  ///< positions of `columns_` in a row
    std::int64_t line_ = 0;
};

/// Requests of a trace in the order of their arrival: columns arrival_s, input_tokens, output_tokens, and any others.
class TrafficReader {
  public:
    /// Throws InputError, as NumberRows does.
    explicit TrafficReader(std::filesystem::path const& file);
    /// The next request; nullopt at the end. Throws InputError for a time that is negative, not finite or earlier than
    /// that of the row before, and for tokens that are not whole numbers of at least 1.
    [[nodiscard]] std::optional<ServiceRequest> next();

  private:
    NumberRows rows_;
    double last_ = 0.0;
};

/// The first `most` requests of a trace, or all. Throws InputError, also if there are none.
[[nodiscard]] std::vector<ServiceRequest> read_traffic(std::filesystem::path const& file, std::size_t most);

}  // namespace pimdse::sim::serving
