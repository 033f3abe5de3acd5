#pragma once

#include "sim/base/csv_rows.hpp"
#include "sim/serving/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::sim::serving {

/// Most tokens of a prompt, and most tokens that are generated.
inline constexpr std::int64_t max_tokens = std::int64_t{1} << 30;

/// A cell of a row as a whole number from 1 to max_tokens. Throws InputError.
[[nodiscard]] std::int64_t tokens_in(CsvRows const& rows, std::string const& cell, std::size_t column);

/// Requests of a trace in the order of their arrival: columns arrival_s, input_tokens, output_tokens, and any others.
class TrafficReader {
  public:
    /// Throws InputError, as CsvRows does.
    explicit TrafficReader(std::filesystem::path const& file);
    /// The next request; nullopt at the end. Throws InputError for a time that is negative, not finite or earlier than
    /// that of the row before, and for tokens that are not whole numbers of at least 1.
    [[nodiscard]] std::optional<ServiceRequest> next();

  private:
    CsvRows rows_;
    double last_ = 0.0;
};

/// The first `most` requests of a trace, or all. Throws InputError, also if there are none.
[[nodiscard]] std::vector<ServiceRequest> read_traffic(std::filesystem::path const& file, std::size_t most);

}  // namespace pimdse::sim::serving
