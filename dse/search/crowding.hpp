#pragma once

#include "dse/search/archive.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace pimdse::dse::search {

/// What a point came to; all objectives minimised.
struct ObjectiveValues {
    bool feasible = false;
    ParetoTree::Vector values{};  ///< of a feasible one
};

/// How a member of a population stands among the others: by fronts, then by how lonely it is on its own.
struct Fitness {
    static constexpr std::uint32_t behind_all = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t rank = behind_all;  ///< of its front; what is infeasible stays behind all
    double distance = 0.0;            ///< crowding distance (Deb et al., 2002)
};

[[nodiscard]] std::vector<Fitness> fitness_of(std::span<ObjectiveValues const> merits, std::size_t objectives);

/// Which front each vector is on, all objectives minimised: on front 0 what nobody dominates, on front k what only
/// members of earlier fronts dominate. Equal vectors are on the same front. `points` has one vector of `objectives`
/// values after the other, none of them NaN, fewer than 2^32 vectors.
[[nodiscard]] std::vector<std::uint32_t> front_ranks(std::span<double const> points, std::size_t objectives);

}  // namespace pimdse::dse::search
