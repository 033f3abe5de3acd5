#include "simulated_cost.hpp"

#include <algorithm>

namespace pimdse::scale {
namespace {

constexpr std::uint64_t added_one_by_one = 64;
constexpr std::uint64_t region = 4096;  // ids

double uniform(std::uint64_t key) { return (static_cast<double>(sim::mixed_bits(key) >> 11) + 0.5) * 0x1p-53; }

double normal(std::uint64_t key) {
    return std::sqrt(-2.0 * std::log(uniform(2 * key))) * std::cos(2.0 * std::numbers::pi * uniform(2 * key + 1));
}

}  // namespace

double Cost::of_one(std::uint64_t id) const {
    switch (shape) {
        case Shape::equal:
            return mean;
        case Shape::spread:
            return mean * std::log(width) / (width - 1.0) * std::pow(width, uniform(id));
        case Shape::lognormal:
            return mean * std::exp(width * normal(id) - width * width / 2.0);
        case Shape::regions:
            return mean * 2.0 / (1.0 + width) * (uniform(id / region) < 0.5 ? 1.0 : width);
    }
    return mean;
}

double Cost::variance() const {
    double const logarithm = std::log(width);
    if (shape == Shape::spread) return mean * mean * (logarithm * (width + 1.0) / (2.0 * (width - 1.0)) - 1.0);
    if (shape == Shape::lognormal) return mean * mean * (std::exp(width * width) - 1.0);
    return 0.0;
}

double Cost::of(std::uint64_t first, std::uint64_t count) const {
    if (shape == Shape::equal) return mean * static_cast<double>(count);
    double sum = 0.0;
    if (shape == Shape::regions) {
        for (std::uint64_t const end = first + count; first < end;) {
            std::uint64_t const stretch = std::min(end, (first / region + 1) * region) - first;
            sum += static_cast<double>(stretch) * of_one(first);
            first += stretch;
        }
        return sum;
    }
    if (count <= added_one_by_one) {
        for (std::uint64_t id = first; id < first + count; ++id) sum += of_one(id);
        return sum;
    }
    auto const points = static_cast<double>(count);
    return std::max(0.1 * points * mean, points * mean + std::sqrt(points * variance()) * normal(first));
}

}  // namespace pimdse::scale
