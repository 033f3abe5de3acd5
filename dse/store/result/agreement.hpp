#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace pimdse::dse::store::result {

[[nodiscard]] inline bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Whether two files may give these numbers for one.
[[nodiscard]] inline bool agree(double left, double right, double relative) {
    return same_bits(left, right) || left == right || std::abs(left - right) <= relative * std::abs(left);
}

}  // namespace pimdse::dse::store::result
