#include "models/upmem/cache_deal.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::upmem {
namespace {

/// Positions in the fullest of `split` DPUs, summed over the first n queries without a window: `split` of them see one,
/// `split` see two, and so on.
std::int64_t seen_by_first(std::int64_t n, std::int64_t split) {
    std::int64_t const full = n / split;
    return split * full * (full + 1) / 2 + (n % split) * (full + 1);
}

}  // namespace

CacheDeal CacheDeal::of(std::int64_t all, std::int64_t dpus) {
    return {sim::divide_up(all, dpus), std::max<std::int64_t>(1, dpus / all)};
}

std::int64_t CacheDeal::positions(std::int64_t of_unit) const { return sim::divide_up(of_unit, split); }

std::int64_t CacheDeal::positions_seen(std::int64_t before, std::int64_t queries) const {
    auto const of_first = [&](std::int64_t n) {
        if (window == 0 || n <= window) return seen_by_first(n, split);
        std::int64_t const of_window = seen_by_first(window, split);
        if (chunked) return n / window * of_window + seen_by_first(n % window, split);
        return of_window + (n - window) * positions(window);
    };
    return of_first(before + queries) - of_first(before);
}

std::int64_t CacheDeal::keys_seen(std::int64_t before, std::int64_t queries) const {
    return CacheDeal{1, 1, window, chunked}.positions_seen(before, queries);
}

std::int64_t CacheDeal::held(std::int64_t all, std::int64_t queries) const {
    return window == 0 ? all : std::min(all, window + queries - 1);
}

}  // namespace pimdse::models::upmem
