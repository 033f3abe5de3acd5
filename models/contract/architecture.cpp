#include "models/contract/architecture.hpp"

#include <fmt/format.h>
#include "sim/base/check.hpp"

#include <algorithm>
#include <exception>

namespace pimdse::models {

std::vector<Value> default_point(Parameters const& parameters) {
    std::vector<Value> point;
    point.reserve(parameters.size());
    for (auto const& parameter : parameters) point.push_back(parameter.fallback);
    return point;
}

int find_parameter(Parameters const& parameters, std::string_view name) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        auto const& p = parameters[i];
        if (p.name == name || std::find(p.aliases.begin(), p.aliases.end(), name) != p.aliases.end()) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

int find_metric(MetricList const& metrics, std::string_view name) {
    auto const found = std::find_if(metrics.begin(), metrics.end(), [&](Metric const& m) { return m.name == name; });
    return found == metrics.end() ? -1 : static_cast<int>(found - metrics.begin());
}

Inputs prepare(Architecture const& architecture, Parameters parameters, ModelOptions options) {
    auto prepared = architecture.prepare(parameters, options);
    return {std::move(parameters), std::move(prepared), std::move(options)};
}

Outcome evaluate_safely(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity) {
    try {
        return architecture.evaluate(inputs, point, fidelity);
    } catch (sim::TooLong const& error) {
        return Defect{error.what(), DefectKind::timeout};
    } catch (std::exception const& error) {
        return Defect{error.what()};
    }
}

bool is_met(Need const& need, Parameter const& parameter, Value const& value) {
    if (value.kind() == Kind::choice)
        return (parameter.choices.at(value.as_choice()) == need.choice) != need.other_than;
    return static_cast<double>(value.as_integer()) > need.more_than;
}

std::string text_of(Need const& need) {
    if (need.choice.empty()) return fmt::format("{} > {}", need.parameter, need.more_than);
    return fmt::format("{} {} {}", need.parameter, need.other_than ? "other than" : "=", need.choice);
}

}  // namespace pimdse::models
