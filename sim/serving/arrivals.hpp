#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pimdse::sim::serving {

/// Gaps between requests that arrive by themselves. Closed loops have no arrivals (ServiceLoad::concurrency).
enum class ArrivalProcess : std::uint8_t {
    poisson,  ///< exponential gaps
    gamma,   ///< gamma-distributed gaps with a given coefficient of variation; with 1, those of poisson in distribution
    uniform  ///< equal gaps
};

struct ArrivalSettings {
    ArrivalProcess process = ArrivalProcess::poisson;
    double rate = 1.0;  ///< mean number of requests per second
    double cv = 1.0;    ///< gamma: standard deviation of a gap over its mean
    std::uint64_t seed = 1;
};

/// Times of `count` requests in s, ordered, each at the end of a gap. The gaps are scaled so that the last request
/// arrives at count / rate, as `vllm bench serve` does: the rate is exactly the wanted one. Another rate gives the same
/// times, scaled (up to rounding). Throws InputError for a rate or a cv that is not finite and positive.
[[nodiscard]] std::vector<double> arrival_times(ArrivalSettings const& settings, std::size_t count);

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
