#pragma once

#include <algorithm>
#include <cstdint>

namespace pimdse::models::upmem {

/// How the cache of a layer is distributed: a unit is one head of keys and values of one sequence, or the vectors that
/// latent attention caches of it. The positions of a unit are dealt in turn to `split` DPUs; if there are more units
/// than DPUs, a DPU has `units` whole units.
struct CacheDeal {
    std::int64_t units = 1, split = 1;
    std::int64_t window = 0;  ///< positions that a query attends to at most; 0: all up to itself
    bool chunked = false;     ///< windows do not slide, but follow one another; each is dealt anew

    /// `all` units on `dpus` DPUs.
    [[nodiscard]] static CacheDeal of(std::int64_t all, std::int64_t dpus);

    /// DPUs that hold positions to which a query attends, at most.
    [[nodiscard]] std::int64_t parts() const { return window == 0 ? split : std::min(split, window); }
    /// Positions in the fullest DPU for a unit of `of_unit` positions.
    [[nodiscard]] std::int64_t positions(std::int64_t of_unit) const;
    /// Positions of a unit in the fullest DPU of each query, summed over queries: the query after the first `before`
    /// positions attends to itself and those before it, within its window, and so does each of the following
    /// `queries` - 1. The fullest DPU of a window that slides is not the same for all of them, which is neglected.
    [[nodiscard]] std::int64_t positions_seen(std::int64_t before, std::int64_t queries) const;
    /// The same of the whole unit.
    [[nodiscard]] std::int64_t keys_seen(std::int64_t before, std::int64_t queries) const;
    /// Positions of `all` that a unit keeps if `queries` are computed at once: those of the window of the first of them
    /// and all after it.
    [[nodiscard]] std::int64_t held(std::int64_t all, std::int64_t queries) const;
};

}  // namespace pimdse::models::upmem
