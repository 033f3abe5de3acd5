#pragma once

#include "sim/base/random.hpp"

namespace pimdse::models::dplena {

/// Uniform in [0, 1), a function of seed, stream and counter.
constexpr double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
    return sim::mixed_fraction(sim::mixed_bits(seed ^ sim::mixed_bits(stream)) + counter);
}

}  // namespace pimdse::models::dplena
