#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace pimdse::sim::serving
