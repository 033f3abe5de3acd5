#include "sim/dram/counts/latency.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace pimdse::sim::dram {
namespace {

constexpr std::uint64_t exact_limit = 4096;
constexpr std::uint64_t steps = 64;  ///< per doubling
constexpr int first_exponent = 12;

std::size_t bin_of(std::uint64_t latency) {
    if (latency < exact_limit) return latency;
    int const exponent = 63 - std::countl_zero(latency);
    return exact_limit + static_cast<std::size_t>(exponent - first_exponent) * steps +
           ((latency >> (exponent - 6)) & (steps - 1));
}

Tick lower_edge(std::size_t bin) {
    if (bin < exact_limit) return static_cast<Tick>(bin);
    auto const exponent = first_exponent + static_cast<int>((bin - exact_limit) / steps);
    return static_cast<Tick>((steps + (bin - exact_limit) % steps) << (exponent - 6));
}

constexpr std::size_t bins = exact_limit + 52 * steps;

}  // namespace

void Latencies::add(Tick latency) {
    if (counts_.empty()) counts_.resize(bins);
    ++counts_[bin_of(static_cast<std::uint64_t>(latency))];
}

void Latencies::add_all(Latencies const& other) {
    if (other.counts_.empty()) return;
    counts_.resize(bins);
    std::transform(counts_.begin(), counts_.end(), other.counts_.begin(), counts_.begin(), std::plus<>());
}

void Latencies::repeat(Latencies const& earlier, std::uint64_t times) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        counts_[i] += times * (counts_[i] - (earlier.counts_.empty() ? 0 : earlier.counts_[i]));
    }
}

std::uint64_t Latencies::count() const { return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}); }

std::optional<Tick> Latencies::percentile(double fraction) const {
    auto const wanted = static_cast<double>(count()) * fraction;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        seen += counts_[i];
        if (seen > 0 && static_cast<double>(seen) >= wanted) return lower_edge(i);
    }
    return std::nullopt;
}

}  // namespace pimdse::sim::dram
