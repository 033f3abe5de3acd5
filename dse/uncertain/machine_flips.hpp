#pragma once

#include "dse/search/result_store.hpp"
#include "dse/uncertain/known_results.hpp"
#include "dse/uncertain/robust_front.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace pimdse::dse::uncertain {

/// The value of a constant nearest to its nominal one at which something has turned, found by halving the way to an end
/// of its range, where it has. `turned`: whether it has at a value; nullopt, which ends the search, if a rule refuses
/// it.
[[nodiscard]] double flip_value(UncertainConstant const& constant, double end,
                                std::function<std::optional<bool>(double)> const& turned);

/// Sets each effective constant alone to both ends of its range, and finds by bisection where another machine becomes
/// the best in an objective; every value is evaluated. Empty for a space of one machine. `possible`: the designs that
/// may be on the front; the best ones of each machine in each objective, as assumed, are tried, so that a flip to
/// another design is missed.
[[nodiscard]] std::vector<MachineFlip> machine_flips(space::Space const& space, search::ResultStore const& store,
                                                     std::vector<UncertainConstant> const& constants,
                                                     std::vector<bool> const& effective,
                                                     std::vector<space::PointId> const& possible,
                                                     models::Fidelity fidelity, KnownResults& known);

}  // namespace pimdse::dse::uncertain
