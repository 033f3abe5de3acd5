#pragma once

#include "dse/search/robust_front.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::uncertain {

using search::Decision;
using search::MachineFlip;
using search::MachineStanding;
using search::quantile_probabilities;
using search::Quantiles;
using search::RobustDesign;
using search::RobustFront;

/// Designs and their objectives in every draw.
struct DrawnDesigns {
    std::vector<space::PointId> points;  ///< ascending
    std::size_t draws = 0;
    /// Objectives of the design at this position in a draw. Thread-safe.
    std::function<MaybeObjectives(std::size_t design, std::size_t draw)> values;
};

/// The share of each design in the fronts of all draws, their sizes, and the standings of machines. Equal on any number
/// of threads. `now`: the front with nominal constants.
void add_fronts(RobustFront& result, space::Space const& space, DrawnDesigns const& drawn,
                std::span<space::PointId const> now);

/// What was found, in sentences: how many designs are on the front always, nearly always or never; and on what it
/// rests. What is proved is told apart from what was only sampled.
[[nodiscard]] std::string statement_of(RobustFront const& front);

/// The same for a reader in a hurry: three short lines, each with its end.
[[nodiscard]] std::string short_statement(RobustFront const& front);

}  // namespace pimdse::dse::uncertain
