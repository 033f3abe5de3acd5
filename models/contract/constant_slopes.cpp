#include "models/contract/constant_slopes.hpp"

#include <algorithm>
#include <array>

namespace pimdse::models {
namespace {

bool is_money(sim::Dimension d) { return d.money != 0; }
bool is_carbon(sim::Dimension d) { return d.mass != 0; }
bool is_area(sim::Dimension d) { return d.metre == 2 && d.joule == 0 && d.second == 0; }

/// Of an energy, a power, a cost or carbon where energies grow: with it if it has joules, dollars or kilograms above
/// the line, against it if it has joules below.
ConstantSlope with_energies(sim::Dimension metric) {
    if (metric.joule == 1 || metric.money == 1 || metric.mass == 1) return Slope::up;
    if (metric.joule == -1 && metric.money == 0 && metric.mass == 0) return Slope::down;
    if (metric.joule != 0 || metric.money != 0 || metric.mass != 0 || metric.is_number()) return std::nullopt;
    return Slope::flat;
}

}  // namespace

ConstantSlope slope_by_dimension(sim::Dimension constant, sim::Dimension metric) {
    if (is_money(constant) || is_carbon(constant)) {
        bool const above = constant.money + constant.mass == 1;
        bool const reads = is_money(constant) ? metric.money == 1 : metric.mass == 1;
        if (reads) return above ? ConstantSlope(Slope::up) : std::nullopt;
        return metric.is_number() ? std::nullopt : ConstantSlope(Slope::flat);
    }
    if (is_area(constant)) return metric.metre == 2 ? ConstantSlope(Slope::up) : with_energies(metric);
    if (constant.joule == 1) return with_energies(metric);
    return std::nullopt;
}

ConstantSlope slope_in_economy(std::string_view constant, sim::Dimension dimension, sim::Dimension metric) {
    if (!is_money(metric) && !is_carbon(metric)) return metric.is_number() ? std::nullopt : ConstantSlope(Slope::flat);
    if (is_money(dimension) || is_carbon(dimension)) return slope_by_dimension(dimension, metric);
    if (constant.ends_with("_defects") || constant == "pue") return Slope::up;
    static constexpr std::array<std::string_view, 3> spread{"lifetime", "utilisation", "volume"};
    if (std::ranges::find(spread, constant) != spread.end()) return Slope::down;
    return std::nullopt;
}

ConstantSlope slope_as(std::string_view acts_as, sim::Dimension metric) {
    constexpr std::string_view divides = "1/";
    if (acts_as.starts_with(divides)) return opposite(slope_as(acts_as.substr(divides.size()), metric));
    return slope_by_dimension(sim::parse_unit(acts_as).dimension, metric);
}

ConstantSlope slope_of(std::string_view name, Constant const& constant, Metric const& metric,
                       std::vector<std::string> const& excepted) {
    auto const dimension = sim::parse_unit(constant.unit.empty() ? "1" : constant.unit).dimension;
    auto const of_metric = sim::parse_unit(metric.unit).dimension;
    auto const dot = name.find('.');
    if (dot != std::string_view::npos && name.substr(0, dot) == "economy")
        return slope_in_economy(name.substr(dot + 1), dimension, of_metric);
    if (std::ranges::find(excepted, name) != excepted.end()) return std::nullopt;
    return constant.acts_as.empty() ? slope_by_dimension(dimension, of_metric) : slope_as(constant.acts_as, of_metric);
}

ConstantSlope opposite(ConstantSlope slope) {
    if (!slope || *slope == Slope::flat) return slope;
    return *slope == Slope::up ? Slope::down : Slope::up;
}

ConstantSlope joined(ConstantSlope a, ConstantSlope b) {
    if (!a || !b) return std::nullopt;
    if (*a == *b || *b == Slope::flat) return a;
    return *a == Slope::flat ? b : std::nullopt;
}

}  // namespace pimdse::models
