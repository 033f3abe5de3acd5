#include "models/contract/metric.hpp"

#include "models/contract/parameter.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::models {

bool is_met(Need const& need, Parameter const& parameter, Value const& value) {
    if (value.kind() == Kind::choice)
        return (parameter.choices.at(value.as_choice()) == need.choice) != need.other_than;
    return static_cast<double>(value.as_integer()) > need.more_than;
}

std::string text_of(Need const& need) {
    if (need.choice.empty()) return fmt::format("{} > {}", need.parameter, need.more_than);
    return fmt::format("{} {} {}", need.parameter, need.other_than ? "other than" : "=", need.choice);
}

int find_metric(MetricList const& metrics, std::string_view name) {
    auto const found = std::find_if(metrics.begin(), metrics.end(), [&](Metric const& m) { return m.name == name; });
    return found == metrics.end() ? -1 : static_cast<int>(found - metrics.begin());
}

}  // namespace pimdse::models
