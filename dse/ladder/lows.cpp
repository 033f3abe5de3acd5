#include "dse/ladder/lows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::dse::ladder {

void Lows::add(Corner const& corner) {
    lows_.insert(lows_.end(), corner.low.begin(), corner.low.begin() + static_cast<std::ptrdiff_t>(objectives_));
    calibrated_.push_back(corner.calibrated);
    exact_.push_back(corner.exact);
}

Values Lows::of(Item item) const {
    Values corner{};
    for (std::size_t i = 0; i < objectives_; ++i) {
        double const low = given(item, i);
        corner[i] = is_calibrated(item, i) && slack_[i] > 0.0 ? widened(low, slack_[i]) : low;
    }
    return corner;
}

std::vector<double> Lows::all() const {
    std::vector<double> corners;
    corners.reserve(lows_.size());
    for (Item item = 0; item < calibrated_.size(); ++item) {
        auto const corner = of(item);
        corners.insert(corners.end(), corner.begin(), corner.begin() + static_cast<std::ptrdiff_t>(objectives_));
    }
    return corners;
}

Values Lows::looser(Item item, double share) const {
    auto corner = of(item);
    for (std::size_t i = 0; i < objectives_; ++i) {
        if ((exact_[item] >> i & 1) == 0) corner[i] = widened(corner[i], share);
    }
    return corner;
}

void Lows::widen(std::size_t objective, double low, double value) {
    constexpr double more = 1.0 + 1e-12;
    double const needed = (low - value) / std::abs(low) * more;
    double& slack = slack_[objective];
    slack = std::max(needed, 2.0 * slack);
    if (!(widened(low, slack) <= value)) slack = std::numeric_limits<double>::infinity();
}

}  // namespace pimdse::dse::ladder
