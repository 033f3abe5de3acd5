#pragma once

#include <string>
#include <utility>

namespace pimdse::models {

struct Parameter;
class Value;

/// What a metric needs of one parameter of a point to apply: a choice, any choice but one, or more than a number.
struct Need {
    std::string parameter;
    std::string choice;
    bool other_than = false;  ///< any choice but `choice`
    double more_than = 0.0;   ///< where `choice` is empty
};
[[nodiscard]] inline Need needs(std::string parameter, std::string choice) {
    return {std::move(parameter), std::move(choice)};
}
[[nodiscard]] inline Need needs_other_than(std::string parameter, std::string choice) {
    return {std::move(parameter), std::move(choice), true};
}
[[nodiscard]] inline Need needs_more_than(std::string parameter, double number) {
    return {std::move(parameter), "", false, number};
}

[[nodiscard]] bool is_met(Need const& need, Parameter const& parameter, Value const& value);
/// "scope = end_to_end", "llm other than none", "output > 1".
[[nodiscard]] std::string text_of(Need const& need);

}  // namespace pimdse::models
