#include "models/contract/parameter.hpp"

#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstddef>

namespace pimdse::models {

std::vector<Value> default_point(Parameters const& parameters) {
    std::vector<Value> point;
    point.reserve(parameters.size());
    for (auto const& parameter : parameters) point.push_back(parameter.default_value);
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

std::string unknown_parameter(std::string_view name, Parameters const& parameters, std::string_view machine) {
    static constexpr std::array<std::string_view, 10> of_devices{"cards",   "boards", "chips", "gpus", "accelerators",
                                                                 "modules", "nodes",  "dimms", "tpus", "num_devices"};
    std::vector<std::string> names;
    for (auto const& parameter : parameters) names.push_back(parameter.name);
    bool const means_devices = std::ranges::find(of_devices, name) != of_devices.end() &&
                               std::ranges::find(names, devices_name) != names.end();
    return fmt::format("unknown parameter '{}'{}{}.{}", name, machine.empty() ? "" : " of ", machine,
                       means_devices ? fmt::format(" Did you mean '{}'?", devices_name) : sim::suggestion(name, names));
}

}  // namespace pimdse::models
