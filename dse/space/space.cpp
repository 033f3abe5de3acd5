#include "dse/space/space.hpp"

#include "dse/space/input_hashes.hpp"
#include "dse/task/value_json.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace pimdse::dse::space {
namespace {

nlohmann::ordered_json axis_text(models::Parameter const& parameter, Axis const& axis) {
    if (axis.size() > 0 && axis.at(0).kind() == models::Kind::permutation) return {{"permute", parameter.items}};
    auto values = nlohmann::ordered_json::array();
    for (std::uint64_t i = 0; i < axis.size(); ++i) values.push_back(task::value_json(parameter, axis.at(i)));
    return values;
}

nlohmann::ordered_json settings_text(std::vector<std::pair<std::string, std::string>> const& settings) {
    auto text = nlohmann::ordered_json::object();
    for (auto const& [name, value] : settings) text[name] = value;
    return text;
}

/// As `evaluate --scenario` takes it.
std::string flag_text(WrittenScenario const& work) {
    std::string text = fmt::format("{}=weight={}", work.name, work.weight);
    for (auto const& [key, value] : work.keys) text += "," + key + "=" + value;
    return text;
}

void put_scenarios(nlohmann::ordered_json& text, Scenarios const& scenarios) {
    for (auto const& scenario : scenarios.list()) {
        text["scenarios"].push_back({{"name", scenario.written.name},
                                     {"weight", scenario.written.weight},
                                     {"asks", settings_text(scenario.written.keys)}});
    }
    for (std::size_t m = 0; m < scenarios.metrics().size(); ++m)
        text["aggregates"][scenarios.metrics()[m].name] = name_of(scenarios.aggregates()[m]);
    if (auto const* baseline = scenarios.baseline()) {
        if (!baseline->is_the_design_itself()) text["baseline"]["architecture"] = baseline->architecture().name;
        text["baseline"]["settings"] = settings_text(baseline->settings());
    }
}

}  // namespace

Space::Space(Parts parts) : parts_(std::move(parts)) {
    auto const points = points_of(parts_.axes);
    sim::expects(points.has_value(), "a space has fewer than 2^64 points");
    size_ = *points;
}

void Space::decode(task::PointId id, std::vector<models::Value>& into) const {
    std::uint64_t rest = index_of(id);
    sim::expects(rest < size_, "a point's id is below the size of its space");
    into.resize(parts_.axes.size());
    for (std::size_t i = parts_.axes.size(); i-- > 0;) {
        std::uint64_t const radix = parts_.axes[i].size();
        into[i] = parts_.axes[i].at(rest % radix);
        rest /= radix;
    }
}

task::PointId Space::encode(models::Point point) const {
    sim::expects(point.size() == parts_.axes.size(), "a point has one value per parameter");
    std::uint64_t id = 0;
    for (std::size_t i = 0; i < parts_.axes.size(); ++i) {
        std::uint64_t const at = parts_.axes[i].find(point[i]);
        sim::expects(at < parts_.axes[i].size(), "every value of the point is on its axis");
        id = id * parts_.axes[i].size() + at;
    }
    return task::PointId{id};
}

std::string Space::canonical_text() const {
    nlohmann::ordered_json text;
    text["architecture"] = parts_.architecture->name;
    auto& axes = text["parameters"];
    for (std::size_t i = 0; i < parts_.axes.size(); ++i) {
        if (!parts_.scenarios.ask(i)) axes[parameters()[i].name] = axis_text(parameters()[i], parts_.axes[i]);
    }
    if (!parts_.scenarios.empty()) put_scenarios(text, parts_.scenarios);
    auto& conditions = text["constraints"] = nlohmann::ordered_json::array();
    for (auto const& constraint : parts_.constraints)
        conditions.push_back({{"name", constraint.name}, {"expr", constraint.expression.text()}});
    // Files that keep fronts only can be joined where they kept the front of the same objectives.
    if (parts_.search.keep == Keep::front) {
        for (auto const& objective : parts_.objectives)
            text["kept_front_of"].push_back(parts_.metrics[objective.metric].name);
    }
    return text.dump();
}

task::Columns Space::columns() const {
    task::Columns columns;
    columns.architecture = parts_.architecture->name;
    columns.metrics = parts_.metrics;
    columns.objectives = parts_.objectives;
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < parts_.axes.size(); ++i) {
        if (parts_.scenarios.ask(i))
            asked.push_back(i);
        else
            columns.parameters.push_back(parameters()[i]);
    }
    columns.decode = [this, asked](task::PointId id, std::vector<models::Value>& into) {
        decode(id, into);
        for (auto i = asked.rbegin(); i != asked.rend(); ++i)
            into.erase(into.begin() + static_cast<std::ptrdiff_t>(*i));
    };
    for (auto const& scenario : parts_.scenarios.list()) columns.scenarios.push_back(flag_text(scenario.written));
    columns.space_text = parts_.text;
    columns.canonical_text = canonical_text();
    columns.seed = parts_.search.seed;
    columns.points = size_;
    columns.input_hashes = input_hashes(*parts_.architecture);
    if (auto const* baseline = parts_.scenarios.baseline()) {
        for (auto& entry : input_hashes(baseline->architecture())) columns.input_hashes.push_back(std::move(entry));
        std::sort(columns.input_hashes.begin(), columns.input_hashes.end());
        auto const repeated = std::unique(columns.input_hashes.begin(), columns.input_hashes.end());
        columns.input_hashes.erase(repeated, columns.input_hashes.end());
    }
    return columns;
}

}  // namespace pimdse::dse::space
