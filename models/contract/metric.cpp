#include "models/contract/metric.hpp"

#include "models/contract/parameter.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>

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

void leave_out_power(MetricList& metrics, std::string const& why) {
    constexpr std::array<std::string_view, 3> units{"J", "1/J", "W"};
    constexpr std::array<std::string_view, 3> costs_of_energy{"cost_per_million_tokens", "carbon",
                                                              "carbon_per_good_token"};
    for (auto& metric : metrics)
        if (std::ranges::find(units, metric.unit) != units.end() ||
            std::ranges::find(costs_of_energy, metric.name) != costs_of_energy.end())
            metric.absent = why;
}

int find_metric(MetricList const& metrics, std::string_view name) {
    auto const found = std::find_if(metrics.begin(), metrics.end(), [&](Metric const& m) { return m.name == name; });
    return found == metrics.end() ? -1 : static_cast<int>(found - metrics.begin());
}

}  // namespace pimdse::models
