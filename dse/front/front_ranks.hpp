#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::dse::front {

/// Which front each vector is on, all objectives minimised: on front 0 what nobody dominates, on front k what only
/// members of earlier fronts dominate. Equal vectors are on the same front. `points` has one vector of `objectives`
/// values after the other, none of them NaN, fewer than 2^32 vectors.
[[nodiscard]] std::vector<std::uint32_t> front_ranks(std::span<double const> points, std::size_t objectives);

}  // namespace pimdse::dse::front
