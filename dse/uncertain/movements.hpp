#pragma once

#include "dse/space/space.hpp"
#include "dse/uncertain/uncertainty.hpp"
#include "models/contract/constant_slopes.hpp"

#include <cstddef>
#include <vector>

namespace pimdse::dse::uncertain {

using models::ConstantSlope;
using models::Slope;

/// How the objectives of a machine's designs move with the constants that move any of them.
struct Movements {
    std::vector<std::size_t> constants;  ///< ascending
    /// By position in `constants`, then by objective; the last entry is feasibility (up: a larger value may make a
    /// design infeasible).
    std::vector<std::vector<ConstantSlope>> of_constant;

    /// Whether each objective moves in a known direction with every constant, so that its extremes are at ends.
    [[nodiscard]] bool has_ends() const;
};

/// What a machine states about its constants (models/contract/constant_slopes.hpp): it holds for all its designs and
/// all values.
struct StatedMovements {
    Movements movements;
    std::vector<std::size_t> unknown;  ///< constants about which it does not state everything
};
[[nodiscard]] StatedMovements stated_movements(space::Space const& space, std::size_t machine,
                                               std::vector<UncertainConstant> const& constants);

}  // namespace pimdse::dse::uncertain
