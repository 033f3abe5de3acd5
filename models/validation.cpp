#include "models/validation.hpp"

#include "sim/check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace pimdse::models {
namespace {

Fidelity fidelity_of(std::string const& name) {
    auto const found = std::find(fidelity_names.begin(), fidelity_names.end(), name);
    if (found == fidelity_names.end()) {
        throw sim::InputError(fmt::format("unknown fidelity '{}'.{}", name, sim::suggestion(name, {fidelity_names.begin(), fidelity_names.end()})));
    }
    return static_cast<Fidelity>(found - fidelity_names.begin());
}

std::size_t metric_of(Architecture const& architecture, std::string const& name) {
    auto const table = architecture.metrics();
    int const index = find_metric(table, name);
    if (index >= 0) return static_cast<std::size_t>(index);
    std::vector<std::string> names;
    for (auto const& metric : table) names.push_back(metric.name);
    throw sim::InputError(fmt::format("unknown metric '{}' of {}.{}", name, architecture.name, sim::suggestion(name, names)));
}

/// The metric of one point, or NaN and a sentence.
double evaluated(Architecture const& architecture, PublishedFigure const& figure, std::vector<std::pair<std::string, std::string>> const& settings, std::string& problem) {
    auto parameters = architecture.parameters();
    auto const point = point_with(parameters, settings);
    auto const inputs = prepare(architecture, std::move(parameters));
    auto const outcome = evaluate_safely(architecture, inputs, point, fidelity_of(figure.fidelity));
    if (auto const* metrics = std::get_if<Metrics>(&outcome)) return metrics->at(metric_of(architecture, figure.metric)).value;
    if (auto const* infeasible = std::get_if<Infeasible>(&outcome)) problem = fmt::format("infeasible: {}: {}", infeasible->rule, infeasible->reason);
    else problem = std::get<Defect>(outcome).what;
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::vector<Value> point_with(Parameters& parameters, std::vector<std::pair<std::string, std::string>> const& settings) {
    auto point = default_point(parameters);
    std::vector<std::string> mistakes;
    for (auto const& [name, text] : settings) {
        int const index = find_parameter(parameters, name);
        if (index < 0) {
            std::vector<std::string> names;
            for (auto const& parameter : parameters) names.push_back(parameter.name);
            mistakes.push_back(fmt::format("unknown parameter '{}'.{}", name, sim::suggestion(name, names)));
            continue;
        }
        try {
            point[static_cast<std::size_t>(index)] = read_value(parameters[static_cast<std::size_t>(index)], text);
        } catch (sim::InputError const& error) {
            mistakes.emplace_back(error.what());
        }
    }
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return point;
}

FigureCheck check_figure(Architecture const& architecture, PublishedFigure const& figure) {
    FigureCheck check{figure, 0.0, 0.0, false, ""};
    check.ours = evaluated(architecture, figure, figure.set, check.problem);
    if (!figure.over.empty()) check.ours /= evaluated(architecture, figure, figure.over, check.problem);
    check.error = figure.value != 0.0 ? (check.ours - figure.value) / std::abs(figure.value) : check.ours;
    check.within = std::abs(check.error) <= figure.tolerance;
    return check;
}

}  // namespace pimdse::models
