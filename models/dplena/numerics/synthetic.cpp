#include "models/dplena/numerics/synthetic.hpp"

#include <numbers>

namespace pimdse::models::dplena {
namespace {

/// Normalised bell sum (four uniform numbers) with mean 0 and variance 1: a cheap approximation of a normal
/// distribution.
double bell(std::uint32_t sum) {
    constexpr double max = 0xffff, mean = 2.0 * max, deviation = max * std::numbers::inv_sqrt3;  // sqrt(4 / 12)
    return (static_cast<double>(sum) - mean) / deviation;
}

/// The runner-up and the peak, in this order: if both have the same place, the peak replaces the runner-up.
std::array<Peak, 2> runner_up_and_peak(ProxyConstants const& c, std::int64_t row, std::int64_t vocabulary) {
    auto const draw = [&](std::uint64_t counter) { return uniform(~c.seed, static_cast<std::uint64_t>(row), counter); };
    auto const place = [&](double u) { return static_cast<std::int64_t>(u * static_cast<double>(vocabulary)); };
    auto const peak = c.peak_lower + (c.peak_upper - c.peak_lower) * draw(0);
    return {{{place(draw(1)), static_cast<float>(peak - c.gap * draw(2))}, {place(draw(3)), static_cast<float>(peak)}}};
}

}  // namespace

double logit_of_bell(ProxyConstants const& c, std::uint32_t sum) { return c.bulk_spread * bell(sum); }

std::uint64_t base_of_row(ProxyConstants const& c, std::int64_t row) {
    return sim::mixed_bits(c.seed ^ sim::mixed_bits(static_cast<std::uint64_t>(row)));
}

double bulk_bound(ProxyConstants const& c) {
    constexpr double rounding = 1.0 + 0x1p-20;
    return logit_of_bell(c, max_of_bell) * rounding;
}

void synthetic_row(ProxyConstants const& c, std::int64_t row, std::span<float> logits) {
    auto const base = base_of_row(c, row);
    for (std::size_t v = 0; v < logits.size(); ++v)
        logits[v] = static_cast<float>(logit_of_bell(c, bell_sum(sim::mixed_bits(base + v))));
    for (auto const& peak : runner_up_and_peak(c, row, static_cast<std::int64_t>(logits.size())))
        logits[static_cast<std::size_t>(peak.place)] = peak.value;
}

Peaks peaks_of(ProxyConstants const& c, std::int64_t row, std::int64_t vocabulary) {
    auto const [second, peak] = runner_up_and_peak(c, row, vocabulary);
    if (second.place == peak.place) return {{peak, peak}, 1};
    if (second.place < peak.place) return {{second, peak}, 2};
    return {{peak, second}, 2};
}

}  // namespace pimdse::models::dplena
