#include "models/contract/validation.hpp"

#include "models/contract/architecture.hpp"
#include "models/contract/parameter.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::models {
namespace {

Fidelity fidelity_of(std::string const& name) {
    for (auto const level : {Fidelity::analytic, Fidelity::cycle})
        if (name_of(level) == name) return level;
    throw sim::InputError("unknown fidelity '{}'.{}", name, sim::suggestion(name, {"analytic", "cycle"}));
}

std::size_t metric_of(Architecture const& architecture, MetricList const& table, std::string const& name) {
    int const index = find_metric(table, name);
    if (index >= 0) return static_cast<std::size_t>(index);
    std::vector<std::string> names;
    for (auto const& metric : table) names.push_back(metric.name);
    throw sim::InputError("unknown metric '{}' of {}.{}", name, architecture.name, sim::suggestion(name, names));
}

std::string printed(std::vector<std::pair<std::string, std::string>> const& settings) {
    std::string text;
    for (auto const& [name, value] : settings) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    return text;
}

/// Advances to the next combination; false after the last.
bool advance(std::vector<std::size_t>& at, PublishedFigure const& figure) {
    for (std::size_t i = at.size(); i-- > 0;) {
        if (++at[i] < figure.grid[i].second.size()) return true;
        at[i] = 0;
    }
    return false;
}

/// Text that is equal for rows of the same claim at different fidelities.
std::string claim_of(PublishedFigure const& figure) {
    auto text = fmt::format("{} {} [{}] over [{}] {} {}", figure.metric, figure.value, printed(figure.set),
                            printed(figure.over), figure.over_architecture, static_cast<int>(figure.of_grid));
    if (figure.measured != 0.0) text += fmt::format(" {} over it", figure.measured);
    for (auto const& [name, values] : figure.grid) text += fmt::format(" {}: {}", name, fmt::join(values, ","));
    return text;
}

std::size_t* count_of(ClaimCounts& counts, FigureCheck const& check) {
    auto const& figure = check.figure;
    if (!figure.gate && !figure.contradicted) return &counts.shown;
    if (!check.as_stated()) return &counts.failed;
    return figure.contradicted ? &counts.contradicted : figure.fitted ? &counts.fitted : &counts.reproduced;
}

}  // namespace

std::vector<Value> point_with(Parameters& parameters,
                              std::vector<std::pair<std::string, std::string>> const& settings) {
    auto point = default_point(parameters);
    std::vector<std::string> mistakes;
    for (auto const& [name, text] : settings) {
        int const index = find_parameter(parameters, name);
        if (index < 0) {
            mistakes.push_back(unknown_parameter(name, parameters));
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

ModelOptions own_footing() { return {"", Assumptions{.view = View::own, .constants = ConstantSource::papers}}; }

FigureChecker::FigureChecker(Architecture const& architecture, FindArchitecture find, ServeFigure serve)
    : architecture_(&architecture),
      find_(std::move(find)),
      serve_(std::move(serve)),
      table_(architecture.parameters()),
      metrics_(architecture.metrics()) {}

Inputs const& FigureChecker::inputs_for(Parameters const& parameters) {
    std::string key;
    for (auto const& parameter : parameters) {
        for (auto const& choice : parameter.choices) key += choice + '\n';
        key += '\f';
    }
    auto const found = prepared_.find(key);
    return found != prepared_.end()
               ? found->second
               : prepared_.emplace(key, prepare(*architecture_, parameters, own_footing())).first->second;
}

/// The metric of one point; on a failure, NaN and a sentence in `problem`.
double FigureChecker::evaluated(std::string const& name, Settings const& settings, std::string const& fidelity,
                                std::string& problem) {
    bool const traffic =
        std::ranges::any_of(settings, [](auto const& setting) { return setting.first.starts_with("traffic."); });
    if (traffic && !serve_) throw sim::InputError("figures of traffic cannot be evaluated here");
    if (traffic) return serve_(*architecture_, settings, name, fidelity_of(fidelity), problem);
    auto parameters = table_;
    auto const point = point_with(parameters, settings);
    auto const metric = metric_of(*architecture_, metrics_, name);
    auto const outcome = evaluate_safely(*architecture_, inputs_for(parameters), point, fidelity_of(fidelity));
    if (auto const* metrics = std::get_if<Metrics>(&outcome)) return metrics->at(metric).value;
    if (auto const* infeasible = std::get_if<Infeasible>(&outcome))
        problem = fmt::format("infeasible: {}: {}", infeasible->rule, infeasible->reason);
    else
        problem = std::get<Defect>(outcome).what;
    return std::numeric_limits<double>::quiet_NaN();
}

double FigureChecker::denominator(PublishedFigure const& figure, Settings const& settings, std::string& problem) {
    auto const& metric = figure.over_metric.empty() ? figure.metric : figure.over_metric;
    auto const& name = figure.over_architecture;
    if (name.empty() || name == architecture_->name) return evaluated(metric, settings, figure.fidelity, problem);
    if (!find_) throw sim::InputError("the architecture '{}' of the denominator is not available here", name);
    auto other = others_.find(name);
    if (other == others_.end()) other = others_.emplace(name, FigureChecker(find_(name), find_, serve_)).first;
    return other->second.evaluated(metric, settings, figure.fidelity, problem);
}

double FigureChecker::value_of(PublishedFigure const& figure, Settings const& more, std::string& problem) {
    auto const with = [&](Settings settings) {
        settings.insert(settings.end(), more.begin(), more.end());
        return settings;
    };
    double const value = evaluated(figure.metric, with(figure.set), figure.fidelity, problem);
    if (figure.measured != 0.0) return figure.measured / value;
    return figure.over.empty() ? value : value / denominator(figure, with(figure.over), problem);
}

double FigureChecker::of_grid(FigureCheck& check) {
    auto& figure = check.figure;
    std::vector<std::pair<double, Settings>> found;
    std::vector<std::size_t> at(figure.grid.size(), 0);
    do {
        Settings here;
        for (std::size_t i = 0; i < at.size(); ++i)
            here.emplace_back(figure.grid[i].first, figure.grid[i].second[at[i]]);
        double const value = value_of(figure, here, check.problem);
        if (!std::isnan(value)) found.emplace_back(value, std::move(here));
    } while (advance(at, figure));
    if (found.empty()) return std::numeric_limits<double>::quiet_NaN();
    check.problem.clear();
    auto const by_value = &std::pair<double, Settings>::first;
    auto const& [max, where_max] = *std::ranges::max_element(found, {}, by_value);
    auto const& [min, where_min] = *std::ranges::min_element(found, {}, by_value);
    bool const is_min = figure.of_grid == OfGrid::smallest, is_ratio = figure.of_grid == OfGrid::spread;
    if (!figure.note.empty()) figure.note += "; ";
    figure.note +=
        is_ratio ? fmt::format("{:.4g} at {}, {:.4g} at {}", max, printed(where_max), min, printed(where_min))
                 : fmt::format("{} at {}", is_min ? "smallest" : "largest", printed(is_min ? where_min : where_max));
    return is_ratio ? max / min : is_min ? min : max;
}

FigureCheck FigureChecker::check(PublishedFigure const& figure) {
    FigureCheck check{figure, 0.0, 0.0, false, ""};
    check.ours = figure.grid.empty() ? value_of(figure, {}, check.problem) : of_grid(check);
    check.error = figure.value != 0.0 ? (check.ours - figure.value) / std::abs(figure.value) : check.ours;
    bool const enough = check.error >= -figure.tolerance, not_more = check.error <= figure.tolerance;
    check.within =
        (enough || figure.relation == Relation::at_most) && (not_more || figure.relation == Relation::at_least);
    if (std::isnan(check.error)) check.within = false;
    return check;
}

ClaimCounts count_claims(Paper const& paper, std::vector<FigureCheck> const& checks) {
    ClaimCounts counts;
    counts.not_modelled = paper.not_modelled.size();
    std::map<std::string, FigureCheck const*> claims;  // if a claim has rows at several fidelities, the worst one
    for (auto const& check : checks) {
        auto const& figure = check.figure;
        if (figure.paper != paper.name || figure.kind != FigureKind::claim) continue;
        auto const [place, is_new] = claims.emplace(claim_of(figure), &check);
        if (!is_new && place->second->as_stated()) place->second = &check;
    }
    for (auto const& [claim, check] : claims) ++*count_of(counts, *check);
    return counts;
}

}  // namespace pimdse::models
