#pragma once

#include "dse/front/pareto_tree.hpp"
#include "dse/task/answer.hpp"
#include "dse/task/objective.hpp"
#include "models/contract/architecture.hpp"

#include <cstdint>
#include <limits>
#include <span>

namespace pimdse::dse::ladder {

/// Values of the objectives, all of them less is better.
using Values = front::ParetoTree::Vector;

/// The value of an objective that has no bound.
inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// The best a point may come to at cycle level.
struct Corner {
    Values low{};
    std::uint8_t calibrated = 0;  ///< bit i: objective i rests on a calibration, not on a proof
    std::uint8_t exact = 0;       ///< bit i: objective i is what it will be at cycle level
    [[nodiscard]] bool is_calibrated(std::size_t objective) const { return (calibrated >> objective & 1) != 0; }
};

/// From a coarse answer: the low end of what is minimised, the high end of what is maximised; -infinity where nothing
/// stands behind that end. Numbers that are exact stay as they are, others are lowered by 1e-9 of themselves for what
/// rounding does to sums of bounds.
[[nodiscard]] Corner corner_of(models::Metrics const& coarse, std::span<task::Objective const> objectives);

/// A corner of which nothing is known.
[[nodiscard]] Corner unknown_corner();

/// From a cycle-level answer.
[[nodiscard]] Values values_of(models::Metrics const& fine, std::span<task::Objective const> objectives);

/// A calibrated low that was found to be too high, lower by this share of itself; nothing is left of it where the share
/// is infinite.
[[nodiscard]] double widened(double low, double slack);

/// A corner that is worse by this share of itself in every objective; of what is maximised too, which is negative here.
[[nodiscard]] Values relaxed(Values corner, double epsilon, std::size_t objectives);

/// As good everywhere; where it is equal everywhere, with the smaller id.
[[nodiscard]] bool covers(Values const& a, task::PointId a_id, Values const& x, task::PointId x_id,
                          std::size_t objectives);

}  // namespace pimdse::dse::ladder
