#pragma once

#include "models/contract/constants.hpp"
#include "models/contract/metric.hpp"
#include "models/contract/proofs.hpp"
#include "sim/base/quantity_text.hpp"

#include <optional>
#include <string_view>
#include <vector>

/// How a metric moves while one constant grows and everything else stays: what it takes to say that something holds for
/// every value within a range, rather than for the values that were tried.
namespace pimdse::models {

/// nullopt: not known. `up`: it never falls; `down`: it never rises; `flat`: it does not change.
using ConstantSlope = std::optional<Slope>;

/// By dimensions. An energy or a power (also by bit, by area) raises energies, powers, costs and carbon, and lowers
/// what a joule does; an area (also by bit) raises these and areas, because static power and wires grow with it;
/// neither changes a time. Money raises costs only, mass (of CO2) carbon only. Anything else, and metrics that are
/// plain numbers, may move either way.
[[nodiscard]] ConstantSlope slope_by_dimension(sim::Dimension constant, sim::Dimension metric);

/// The same for a constant of models/economy.toml: no metric but costs and carbon reads it.
[[nodiscard]] ConstantSlope slope_in_economy(std::string_view constant, sim::Dimension dimension,
                                             sim::Dimension metric);

/// The same for a plain number that acts as a constant of some unit (Constant::acts_as): "1/mm2" moves metrics in the
/// opposite direction of an area.
[[nodiscard]] ConstantSlope slope_as(std::string_view acts_as, sim::Dimension metric);

/// The same for a constant of an architecture, for the estimate of `metric` at every fidelity and point (the ends of an
/// interval may be differences). `excepted`: what Proofs::constants_without_slopes returned. Also for
/// "economy.NAME" and "links.NAME".
[[nodiscard]] ConstantSlope slope_of(std::string_view name, Constant const& constant, Metric const& metric,
                                     std::vector<std::string> const& excepted);

/// Both together: of a metric that reads two numbers which move so.
[[nodiscard]] ConstantSlope joined(ConstantSlope a, ConstantSlope b);
[[nodiscard]] ConstantSlope opposite(ConstantSlope slope);

}  // namespace pimdse::models
