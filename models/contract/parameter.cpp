#include "models/contract/parameter.hpp"

#include <algorithm>
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

}  // namespace pimdse::models
