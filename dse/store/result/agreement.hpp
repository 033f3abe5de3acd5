#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace pimdse::dse::store::result {

[[nodiscard]] inline bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Whether two files may give these numbers for one: 0 compares bits. Every number is within a share of an infinite
/// one, and only that one is meant.
[[nodiscard]] inline bool agree(double left, double right, double relative) {
    if (relative == 0.0 || !std::isfinite(left)) return same_bits(left, right);
    return std::abs(left - right) <= relative * std::abs(left);
}

}  // namespace pimdse::dse::store::result
