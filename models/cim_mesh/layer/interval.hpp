#pragma once

#include <algorithm>

namespace pimdse::models::cim_mesh {

/// A number of cycles (or seconds) and where the cycle-level answer lies.
struct Interval {
    double value = 0.0, low = 0.0, high = 0.0;

    static Interval exact(double v) { return {v, v, v}; }
    Interval operator+(Interval const& o) const { return {value + o.value, low + o.low, high + o.high}; }
    Interval operator*(double factor) const { return {value * factor, low * factor, high * factor}; }
    [[nodiscard]] Interval at_least(Interval const& o) const {
        return {std::max(value, o.value), std::max(low, o.low), std::max(high, o.high)};
    }
};

}  // namespace pimdse::models::cim_mesh
