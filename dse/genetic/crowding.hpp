#pragma once

#include "dse/genetic/merit.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace pimdse::dse::genetic {

/// How a member of a population stands among the others: by fronts, then by how lonely it is on its own.
struct Fitness {
    static constexpr std::uint32_t behind_all = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t rank = behind_all;  ///< of its front; what is infeasible stays behind all
    double distance = 0.0;            ///< crowding distance (Deb et al., 2002)
};

[[nodiscard]] std::vector<Fitness> fitness_of(std::span<Merit const> merits, std::size_t objectives);

}  // namespace pimdse::dse::genetic
