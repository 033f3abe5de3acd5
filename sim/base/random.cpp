#include "sim/base/random.hpp"

#include "sim/base/check.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace pimdse::sim {

Shuffle::Shuffle(std::uint64_t size, std::uint64_t seed) : size_(size), seed_(mixed_bits(seed)) {
    expects(size > 0, "the set to shuffle is not empty");
    half_bits_ = (static_cast<unsigned>(std::bit_width(size - 1)) + 1) / 2;
    if (half_bits_ == 0) half_bits_ = 1;
}

std::uint64_t Shuffle::permuted(std::uint64_t x) const {
    std::uint64_t const mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = x >> half_bits_;
    std::uint64_t right = x & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
        std::uint64_t const next = left ^ (mixed_bits(seed_ ^ mixed_bits(right + (round << 56))) & mask);
        left = right;
        right = next;
    }
    return (left << half_bits_) | right;
}

std::uint64_t Shuffle::at(std::uint64_t position) const {
    expects(position < size_, "the position is inside the shuffled set");
    std::uint64_t x = permuted(position);
    while (x >= size_) x = permuted(x);
    return x;
}

Variates::Variates(std::uint64_t seed, std::uint64_t stream) : key_(mixed_bits(mixed_bits(seed) ^ stream)) {}

double Variates::uniform() {
    // The middle of one of 2^53 equal parts: neither 0 nor 1.
    double const part = mixed_fraction(key_ ^ mixed_sequence(count_++));
    return part + 0x1p-54;
}

double Variates::exponential() { return -std::log(uniform()); }

double Variates::normal() {
    double const radius = std::sqrt(2.0 * exponential());
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double Variates::gamma_from_one(double shape) {
    double const d = shape - 1.0 / 3.0;
    double const c = 1.0 / std::sqrt(9.0 * d);
    while (true) {
        double const x = normal();
        double const root = 1.0 + c * x;
        if (root <= 0.0) continue;
        double const v = root * root * root;
        if (std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
}

double Variates::gamma(double shape) {
    expects(shape > 0.0, "the shape of a gamma distribution is positive");
    if (shape >= 1.0) return gamma_from_one(shape);
    double const above = gamma_from_one(shape + 1.0);
    return above * std::pow(uniform(), 1.0 / shape);
}

}  // namespace pimdse::sim
