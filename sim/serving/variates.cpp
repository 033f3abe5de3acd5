#include "sim/serving/variates.hpp"

#include "sim/base/check.hpp"
#include "sim/base/random.hpp"

#include <cmath>
#include <numbers>

namespace pimdse::sim::serving {

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

}  // namespace pimdse::sim::serving
