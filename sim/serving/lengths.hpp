#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pimdse::sim::serving {

/// Lengths of prompts or outputs, in tokens: `count` of them. All throw InputError for what is not possible.

/// Log-normally distributed with this mean and 90th percentile, rounded, from 1 to `max_tokens`
/// (traffic_reader.hpp). A log-normal distribution has 1 <= p90 / mean <= exp(z^2 / 2) = 2.27, z = 1.28 being the 90th
/// percentile of the normal distribution; of the two widths that fit, the smaller one is taken. `stream` separates
/// lengths of prompts from those of outputs under one seed.
[[nodiscard]] std::vector<std::int64_t> lognormal_lengths(double mean, double p90, std::uint64_t seed,
                                                          std::uint64_t stream, std::size_t count);

/// Column `column` of a table (sim/base/csv_rows.hpp), from its first row on, and again if it has fewer rows.
[[nodiscard]] std::vector<std::int64_t> lengths_of_file(std::filesystem::path const& file, std::string const& column,
                                                        std::size_t count);

}  // namespace pimdse::sim::serving
