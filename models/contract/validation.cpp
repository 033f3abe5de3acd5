#include "models/contract/validation.hpp"

#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::models {
namespace {

Fidelity fidelity_of(std::string const& name) {
    auto const found = std::find(fidelity_names.begin(), fidelity_names.end(), name);
    if (found == fidelity_names.end()) {
        throw sim::InputError(fmt::format("unknown fidelity '{}'.{}", name,
                                          sim::suggestion(name, {fidelity_names.begin(), fidelity_names.end()})));
    }
    return static_cast<Fidelity>(found - fidelity_names.begin());
}

std::size_t metric_of(Architecture const& architecture, MetricList const& table, std::string const& name) {
    int const index = find_metric(table, name);
    if (index >= 0) return static_cast<std::size_t>(index);
    std::vector<std::string> names;
    for (auto const& metric : table) names.push_back(metric.name);
    throw sim::InputError(
        fmt::format("unknown metric '{}' of {}.{}", name, architecture.name, sim::suggestion(name, names)));
}

std::string printed(std::vector<std::pair<std::string, std::string>> const& settings) {
    std::string text;
    for (auto const& [name, value] : settings) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    return text;
}

/// The next combination; false after the last.
bool advance(std::vector<std::size_t>& at, PublishedFigure const& figure) {
    for (std::size_t i = at.size(); i-- > 0;) {
        if (++at[i] < figure.grid[i].second.size()) return true;
        at[i] = 0;
    }
    return false;
}

}  // namespace

std::vector<Value> point_with(Parameters& parameters,
                              std::vector<std::pair<std::string, std::string>> const& settings) {
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
            point[static_cast<std::size_t>(index)] =
                read_value(parameters[static_cast<std::size_t>(index)], text, Takes::one_value);
        } catch (sim::InputError const& error) {
            mistakes.insert(mistakes.end(), error.sentences().begin(), error.sentences().end());
        }
    }
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return point;
}

FigureChecker::FigureChecker(Architecture const& architecture)
    : architecture_(&architecture), table_(architecture.parameters()), metrics_(architecture.metrics()) {}

Inputs const& FigureChecker::inputs_for(Parameters const& parameters) {
    std::string key;
    for (auto const& parameter : parameters) {
        for (auto const& choice : parameter.choices) key += choice + '\n';
        key += '\f';
    }
    auto const found = prepared_.find(key);
    return found != prepared_.end() ? found->second
                                    : prepared_.emplace(key, prepare(*architecture_, parameters)).first->second;
}

/// The metric of one point, or NaN and a sentence.
double FigureChecker::evaluated(PublishedFigure const& figure, Settings const& settings, std::string& problem) {
    auto parameters = table_;
    auto const point = point_with(parameters, settings);
    auto const metric = metric_of(*architecture_, metrics_, figure.metric);
    auto const outcome = evaluate_safely(*architecture_, inputs_for(parameters), point, fidelity_of(figure.fidelity));
    if (auto const* metrics = std::get_if<Metrics>(&outcome)) return metrics->at(metric).value;
    if (auto const* infeasible = std::get_if<Infeasible>(&outcome))
        problem = fmt::format("infeasible: {}: {}", infeasible->rule, infeasible->reason);
    else
        problem = std::get<Defect>(outcome).what;
    return std::numeric_limits<double>::quiet_NaN();
}

double FigureChecker::value_of(PublishedFigure const& figure, Settings const& more, std::string& problem) {
    auto const with = [&](Settings settings) {
        settings.insert(settings.end(), more.begin(), more.end());
        return settings;
    };
    double const value = evaluated(figure, with(figure.set), problem);
    return figure.over.empty() ? value : value / evaluated(figure, with(figure.over), problem);
}

double FigureChecker::largest(FigureCheck& check) {
    auto& figure = check.figure;
    double best = std::numeric_limits<double>::quiet_NaN();
    Settings where;
    std::vector<std::size_t> at(figure.grid.size(), 0);
    do {
        Settings here;
        for (std::size_t i = 0; i < at.size(); ++i)
            here.emplace_back(figure.grid[i].first, figure.grid[i].second[at[i]]);
        double const value = value_of(figure, here, check.problem);
        if (std::isnan(value) || value <= best) continue;
        best = value;
        where = here;
    } while (advance(at, figure));
    if (std::isnan(best)) return best;
    check.problem.clear();
    figure.note += fmt::format("{}largest at {}", figure.note.empty() ? "" : "; ", printed(where));
    return best;
}

FigureCheck FigureChecker::check(PublishedFigure const& figure) {
    FigureCheck check{figure, 0.0, 0.0, false, ""};
    check.ours = figure.grid.empty() ? value_of(figure, {}, check.problem) : largest(check);
    check.error = figure.value != 0.0 ? (check.ours - figure.value) / std::abs(figure.value) : check.ours;
    check.within = std::abs(check.error) <= figure.tolerance;
    return check;
}

}  // namespace pimdse::models
