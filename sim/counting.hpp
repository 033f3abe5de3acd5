#pragma once

#include "sim/check.hpp"

#include <cstddef>
#include <cstdint>

namespace pimdse::sim {

/// How many parts of size `part` hold `whole`: the quotient rounded up. Whole numbers with whole >= 0 and part >= 1.
[[nodiscard]] constexpr std::int64_t divide_up(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

/// The smallest multiple of `step` that is at least `whole`; numbers as above.
[[nodiscard]] constexpr std::int64_t round_up(std::int64_t whole, std::int64_t step) { return divide_up(whole, step) * step; }

/// The number of orderings of `n` things. Precondition: n <= 20, beyond which 64 bits do not hold it.
[[nodiscard]] inline std::uint64_t factorial(std::size_t n) {
    expects(n <= 20, "a factorial fits 64 bits");
    std::uint64_t product = 1;
    for (std::size_t i = 2; i <= n; ++i) product *= i;
    return product;
}

}  // namespace pimdse::sim
