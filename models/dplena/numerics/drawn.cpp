#include "models/dplena/numerics/drawn.hpp"

#include "models/dplena/numerics/formats.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace pimdse::models::dplena {
namespace {

constexpr unsigned noise_bits = 53;

/// Random numbers of noise differ from those of the logits.
std::uint64_t seed_of_noise(ProxyConstants const& c) { return sim::mixed_bits(sim::mixed_bits(c.seed)); }

constexpr double uniform_numbers = 4;  ///< whose sum a logit of the bulk follows

/// Logit of the bulk over the distance of a sum of four uniform numbers from its mean.
double logit_per_sum(ProxyConstants const& c) { return c.bulk_spread * std::numbers::sqrt3; }

/// Logarithm of the mean of exp(logit / temperature) over the bulk: with a = logit_per_sum / temperature,
/// (sinh(a / 2) / (a / 2))^4.
double log_mean_exponential(double a) {
    auto const x = a / 2.0;
    auto const log_sinh = x + std::log(-std::expm1(-2.0 * x)) - std::numbers::ln2;
    return uniform_numbers * (log_sinh - std::log(x));
}

}  // namespace

RowNoise::RowNoise(ProxyConstants const& c, std::int64_t row)
    : base_(sim::mixed_bits(seed_of_noise(c) ^ sim::mixed_bits(static_cast<std::uint64_t>(row)))) {}

std::uint64_t RowNoise::bits(std::int64_t place) const {
    return sim::mixed_bits(base_ + static_cast<std::uint64_t>(place)) >> (64 - noise_bits);
}

double RowNoise::at(std::int64_t place) const {
    constexpr double half = 0.5;
    auto const u = (static_cast<double>(bits(place)) + half) * 0x1p-53;
    return -std::log(-std::log1p(-u));
}

/// -log(1 - u) is at least u, and u at least the power of two below it.
double RowNoise::at_most(std::int64_t place) const {
    constexpr double above_ln2 = std::numbers::ln2 * (1.0 + 0x1p-40);
    return static_cast<double>(noise_bits + 1 - static_cast<unsigned>(std::bit_width(bits(place)))) * above_ln2;
}

Drawn drawn_in_double(std::span<float const> logits, RowNoise const& noise, double temperature) {
    auto const scaled = [&](std::size_t v) { return static_cast<double>(logits[v]) / temperature; };
    auto const maximum = static_cast<double>(*std::ranges::max_element(logits)) / temperature;
    double sum = 0.0, best = -HUGE_VAL;
    std::size_t index = 0;
    for (std::size_t v = 0; v < logits.size(); ++v) {
        auto const logit = scaled(v);
        auto const place = static_cast<std::int64_t>(v);
        sum += std::exp(logit - maximum);
        if (logit + noise.at_most(place) <= best) continue;
        auto const noisy = logit + noise.at(place);
        if (noisy <= best) continue;
        best = noisy;
        index = v;
    }
    return {std::exp(scaled(index) - maximum) / sum, static_cast<std::int64_t>(index)};
}

RowResult drawn_by_npu(std::span<float> logits, RowNoise const& noise, double temperature, RowWalk const& walk) {
    if (temperature != 1.0) {
        auto const factor = to_bf16(static_cast<float>(1.0 / temperature));
        for (auto& z : logits) z = to_bf16(z * factor);
    }
    auto result = stable_max(logits, walk);
    if (result.flagged) return result;
    auto const rounded_noise = [](double g) { return to_bf16(static_cast<float>(g)); };
    float best = -infinity;
    std::size_t index = 0;
    for (std::size_t v = 0; v < logits.size(); ++v) {
        auto const place = static_cast<std::int64_t>(v);
        if (to_bf16(logits[v] + rounded_noise(noise.at_most(place))) <= best) continue;
        auto const noisy = to_bf16(logits[v] + rounded_noise(noise.at(place)));
        if (noisy <= best) continue;
        best = noisy;
        index = v;
    }
    auto const maximum = logits[static_cast<std::size_t>(result.index)];
    auto const share = bf16_exponential(to_bf16(logits[index] - maximum));
    result.confidence = to_bf16(share * result.confidence);
    result.index = static_cast<std::int32_t>(index);
    return result;
}

double synthetic_draw(ProxyConstants const& c, Peaks const& peaks, std::int64_t vocabulary, double temperature,
                      std::int64_t row) {
    auto const uniform_number = [&](std::uint64_t counter) {
        return uniform(seed_of_noise(c), static_cast<std::uint64_t>(row), counter);
    };
    auto const maximum = static_cast<double>(peaks.largest().value) / temperature;
    auto const weight = [&](double logit) { return std::exp(logit / temperature - maximum); };
    auto const a = logit_per_sum(c) / temperature;
    auto const others = static_cast<double>(vocabulary) - static_cast<double>(peaks.count);
    auto const bulk = others > 0.0 ? others * std::exp(log_mean_exponential(a) - maximum) : 0.0;
    double sum = bulk;
    for (auto const& peak : peaks.all()) sum += weight(static_cast<double>(peak.value));

    auto left = uniform_number(0) * sum;
    for (auto const& peak : peaks.all()) {
        auto const own = weight(static_cast<double>(peak.value));
        if (left < own || bulk == 0.0) return own / sum;
        left -= own;
    }
    // A logit of the bulk by its share in the sum: each of its four numbers x in [0, 1) with a density as exp(a x).
    double place = -uniform_numbers / 2.0;
    for (std::uint64_t i = 1; i <= static_cast<std::uint64_t>(uniform_numbers); ++i) {
        auto const v = uniform_number(i);
        place += 1.0 + std::log(v + (1.0 - v) * std::exp(-a)) / a;
    }
    return weight(logit_per_sum(c) * place) / sum;
}

}  // namespace pimdse::models::dplena
