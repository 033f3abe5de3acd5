#pragma once

#include <cstdint>

namespace pimdse::models::dplena {

/// A well mixed 64-bit word of a counter; the same everywhere.
constexpr std::uint64_t mixed(std::uint64_t counter) {
    auto z = counter + 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/// Uniform in [0, 1), a function of seed, stream and counter.
constexpr double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
    return static_cast<double>(mixed(mixed(seed ^ mixed(stream)) + counter) >> 11) * 0x1p-53;
}

}  // namespace pimdse::models::dplena
