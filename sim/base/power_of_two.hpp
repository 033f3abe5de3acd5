#pragma once

#include "sim/base/check.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace pimdse::sim {

/// 2^exponent, exactly, for the price of a shift. Precondition: a normal double has it (-1022 to 1023).
[[nodiscard]] inline double power_of_two(int exponent) {
    using Double = std::numeric_limits<double>;
    static_assert(Double::is_iec559);
    expects(exponent >= Double::min_exponent - 1 && exponent < Double::max_exponent, "a double has the power of two");
    auto const biased = static_cast<std::uint64_t>(exponent + Double::max_exponent - 1);
    return std::bit_cast<double>(biased << static_cast<unsigned>(Double::digits - 1));
}

}  // namespace pimdse::sim
