#pragma once

#include "sim/base/random.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace pimdse::scale {

/// What points cost: each a pure function of its id.
struct Cost {
    enum class Shape : std::uint8_t {
        equal,
        spread,     ///< log-uniform from 1 to `width` times the cheapest, as points of the workbench are
        lognormal,  ///< `width` = standard deviation of the logarithm
        regions,  ///< ids come in long runs of cheap and of dear points, `width` times as much: what a sweep of a real
                  ///< space meets
    };
    Shape shape = Shape::equal;
    double mean = 1e-3;  ///< s
    double width = 1.0;

    /// Of `count` points from `first` on, on a worker of speed 1. Up to 64 points are added one by one; more are drawn
    /// together, from the normal distribution that such sums come near to.
    [[nodiscard]] double of(std::uint64_t first, std::uint64_t count) const;

  private:
    [[nodiscard]] double of_one(std::uint64_t id) const;
    [[nodiscard]] double variance() const;
};

}  // namespace pimdse::scale
