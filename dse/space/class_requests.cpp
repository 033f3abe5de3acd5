#include "dse/space/class_requests.hpp"

#include "dse/space/axis_reader.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pimdse::dse::space {

bool ClassRequests::take(models::Parameter const& parameter, toml::node const& node, std::string const& where) {
    try {
        auto request = read_class_request(node);
        if (!request) return false;
        if (machine_.architecture->classes == nullptr)
            throw sim::InputError(fmt::format("{} has no classes to enumerate", machine_.architecture->name));
        request->parameter =
            static_cast<std::size_t>(models::find_parameter(machine_.inputs.parameters, parameter.name));
        requests_.push_back({std::move(*request), where});
    } catch (sim::InputError const& error) {
        mistakes_.push_back(fmt::format("{}: {}: {}", where, parameter.name, error.what()));
    }
    return true;
}

void ClassRequests::forget(int parameter) {
    std::erase_if(requests_,
                  [&](Request const& request) { return static_cast<int>(request.what.parameter) == parameter; });
}

void ClassRequests::expand(std::set<int> const& given) {
    for (auto const& request : requests_) expand(request, given);
    for (std::size_t i = 0; i < machine_.axes.size(); ++i) count_orderings(i, given);
}

/// The values that the file and its scenarios give each parameter; empty for a parameter that is given as a permutation
/// or not at all.
models::AxisValues ClassRequests::values_given(std::set<int> const& given) const {
    models::AxisValues values(machine_.axes.size());
    for (auto const index : given) {
        auto const& axis = machine_.axes[static_cast<std::size_t>(index)];
        if (axis.at(0).kind() == models::Kind::permutation) continue;
        for (std::uint64_t i = 0; i < axis.size(); ++i) values[static_cast<std::size_t>(index)].push_back(axis.at(i));
    }
    for (auto const& scenario : machine_.scenarios.list()) {
        for (auto const& [index, value] : scenario.asks) values[index].push_back(value);
    }
    return values;
}

void ClassRequests::expand(Request const& request, std::set<int> const& given) {
    if (!mistakes_.empty()) return;  // the classes depend on all other axes
    auto& parameters = machine_.inputs.parameters;
    auto& parameter = parameters[request.what.parameter];
    try {
        auto const found = machine_.architecture->classes(parameters, request.what, values_given(given));
        std::vector<models::Value> values;
        for (auto const& text : found.texts) values.push_back(models::read_value(parameter, text));
        machine_.axes[request.what.parameter] = Axis::list(std::move(values));
        for (auto const& [index, value] : found.decided) machine_.axes[index] = Axis::list({value});
        note(parameter, found);
    } catch (sim::InputError const& error) {
        mistakes_.push_back(fmt::format("{}: {}: {}", request.where, parameter.name, error.what()));
    }
}

void ClassRequests::count_orderings(std::size_t parameter, std::set<int> const& given) {
    auto const& axis = machine_.axes[parameter];
    if (machine_.architecture->classes == nullptr || axis.at(0).kind() != models::Kind::permutation ||
        !mistakes_.empty())
        return;
    note(machine_.inputs.parameters[parameter],
         machine_.architecture->classes(machine_.inputs.parameters, {parameter, "", {}}, values_given(given)));
}

void ClassRequests::note(models::Parameter const& parameter, models::Classes const& found) {
    std::vector<std::string> parts;
    for (auto const& [what, count] : found.counts) parts.push_back(fmt::format("{} {}", count, what));
    for (auto const& [index, value] : found.decided) {
        parts.push_back(fmt::format("{} = {}", machine_.inputs.parameters[index].name,
                                    models::print_value(machine_.inputs.parameters[index], value)));
    }
    notes_.emplace_back(parameter.name, fmt::format("{}", fmt::join(parts, ", ")));
}

}  // namespace pimdse::dse::space
