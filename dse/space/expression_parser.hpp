#pragma once

#include "dse/space/expression.hpp"
#include "models/contract/architecture.hpp"

#include <string_view>

namespace pimdse::dse::space {

/// The names an expression may use: parameters and metrics of one architecture.
struct Vocabulary {
    models::Parameters const& parameters;
    models::MetricList const& metrics;
};

/// Compiles a condition. Throws InputError in one sentence: what is wrong, where in the text, and a suggestion.
[[nodiscard]] Expression parse_condition(std::string_view text, Vocabulary const& vocabulary);

}  // namespace pimdse::dse::space
