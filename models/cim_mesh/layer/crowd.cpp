#include "models/cim_mesh/layer/crowd.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

/// Routers that are k hops from one in the middle row: two on every row nearer than k, one where a column ends.
std::int64_t ring(std::int64_t above, std::int64_t below, std::int64_t k) {
    std::int64_t const ends = (above >= k ? 1 : 0) + (below >= k ? 1 : 0);
    return 2 * (1 + std::min(above, k - 1) + std::min(below, k - 1)) + ends;
}

}  // namespace

/// Every router counts a hop for each k it is farther away than, which is the sum of all ways. Beyond the first and
/// last row each ring is as large as the one before.
Crowd least_crowd(std::int64_t rows, std::int64_t routers) {
    std::int64_t const above = (rows - 1) / 2, below = rows / 2;
    Crowd crowd;
    std::int64_t beyond = routers - 1;
    while (beyond > 0 && crowd.farthest < below) {
        crowd.together += beyond;
        beyond -= ring(above, below, ++crowd.farthest);
    }
    if (beyond <= 0) return crowd;
    std::int64_t const each = 2 * rows, rings = sim::divide_up(beyond, each);
    crowd.farthest += rings;
    crowd.together += rings * beyond - each * (rings * (rings - 1) / 2);
    return crowd;
}

}  // namespace pimdse::models::cim_mesh
