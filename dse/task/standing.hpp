#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace pimdse::dse::task {

/// How far a search is that closes points by bounds.
struct Standing {
    std::uint64_t closed = 0;  ///< by bounds
    std::uint64_t flying = 0;  ///< asked for and not answered
    std::uint64_t open = 0;    ///< may be on the front as far as it is known
    /// By which share of its hypervolume the front is short of what it could be if everything that is not closed were
    /// as good as its bounds; NaN while nothing is known of it.
    double gap = std::numeric_limits<double>::quiet_NaN();
    bool gap_is_rough = false;  ///< only some of the points were looked at
    bool operator==(Standing const&) const = default;
};

/// "closed 812, flying 12, open 301, gap 3.12 %"
[[nodiscard]] std::string text_of(Standing const& standing);

}  // namespace pimdse::dse::task
