#pragma once

#include <algorithm>
#include <cmath>

namespace pimdse::models::umdam {

/// What refresh adds at least. It comes due every `interval` cycles from the start; 0: never.
struct Refreshed {
    double interval = 0.0;

    /// A resource needs `work` cycles; every refresh that is over before the work is keeps it idle for `pause` cycles;
    /// behind the deadline of one that is not, at most `late` cycles of the work are done. The least time all of it
    /// takes: for the fewest refreshes that let it end before the next is due, or up to that deadline where the rest
    /// can be done behind it.
    [[nodiscard]] double stretched(double work, double pause, double late) const {
        if (interval <= 0.0 || pause <= 0.0 || pause >= interval) return work;
        double const over = refreshes(work, pause), earlier = refreshes(work - late, pause);
        return earlier < over ? std::max(work, (earlier + 1.0) * interval) : work + over * pause;
    }

  private:
    /// The fewest k with work + k pause < (k + 1) interval.
    [[nodiscard]] double refreshes(double work, double pause) const {
        return work < interval ? 0.0 : std::floor((work - interval) / (interval - pause)) + 1.0;
    }
};

}  // namespace pimdse::models::umdam
