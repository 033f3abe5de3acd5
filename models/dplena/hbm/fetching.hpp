#pragma once

#include "models/dplena/design.hpp"

#include <compare>

namespace pimdse::models::dplena {

/// What of a design decides the time of its prefetches.
struct Fetching {
    std::int64_t vlen = 0, prefetch = 0, mx_block = 0, channels = 0;
    std::int64_t element_bits = 8, scale_lines = 1;
    Bus bus = Bus::compat;
    Refresh refresh = Refresh::off;
    std::int64_t outstanding = 1;  ///< prefetches under way at once; 1 without overlap
    auto operator<=>(Fetching const&) const = default;
};

[[nodiscard]] inline Fetching fetching_of(Design const& d) {
    return {.vlen = d.vlen,
            .prefetch = d.prefetch,
            .mx_block = d.mx_block,
            .channels = d.channels,
            .element_bits = d.element_bits(),
            .scale_lines = d.scale_lines(),
            .bus = d.bus,
            .refresh = d.refresh,
            .outstanding = d.overlap == Overlap::none ? 1 : d.outstanding};
}

}  // namespace pimdse::models::dplena
