#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace pimdse::dse::explain {

/// By which share of `own` the other number is less.
[[nodiscard]] inline double share_below(double own, double other) {
    if (own == other) return 0.0;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return own == 0.0 ? std::copysign(infinity, own - other) : (own - other) / std::abs(own);
}

/// The least share by which another vector is ahead, where less is better; negative: it is behind somewhere.
[[nodiscard]] inline double lead_of(std::span<double const> other, std::span<double const> own) {
    double lead = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < own.size(); ++i) lead = std::min(lead, share_below(own[i], other[i]));
    return lead;
}

}  // namespace pimdse::dse::explain
