#include "models/contract/need.hpp"

#include "models/contract/architecture.hpp"

#include <fmt/format.h>

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

}  // namespace pimdse::models
