#pragma once

#include "dse/search/archive.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace pimdse::dse::search {

/// The objectives of an evaluated point, all minimised.
struct ObjectiveValues {
    bool feasible = false;
    ParetoTree::Vector values{};                        ///< if feasible
    double violation = models::Infeasible::unmeasured;  ///< if not
};

/// The fitness of a member of a population under constraint domination (Deb, 2000; Deb et al., 2002): feasible points
/// by their front, then by their crowding distance; behind them infeasible ones by their violation.
struct Fitness {
    static constexpr std::uint32_t behind_all = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t rank = behind_all;  ///< rank of its front; infeasible points have the last rank
    double distance = 0.0;            ///< the larger the better: crowding distance, or minus the violation
};

[[nodiscard]] std::vector<Fitness> fitness_of(std::span<ObjectiveValues const> population, std::size_t objectives);

/// The front (non-domination rank) of each vector, all objectives minimised: front 0 has the non-dominated vectors,
/// front k those that only members of earlier fronts dominate. Equal vectors are on the same front. `points` contains
/// vectors of `objectives` values one after the other, without NaN.
[[nodiscard]] std::vector<std::uint32_t> front_ranks(std::span<double const> points, std::size_t objectives);

}  // namespace pimdse::dse::search
