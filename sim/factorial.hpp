#pragma once

#include "sim/check.hpp"

#include <cstddef>
#include <cstdint>

namespace pimdse::sim {

/// The number of orderings of `n` things. Precondition: n <= 20, beyond which 64 bits do not hold it.
[[nodiscard]] inline std::uint64_t factorial(std::size_t n) {
    expects(n <= 20, "a factorial fits 64 bits");
    std::uint64_t product = 1;
    for (std::size_t i = 2; i <= n; ++i) product *= i;
    return product;
}

}  // namespace pimdse::sim
