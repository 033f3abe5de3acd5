#pragma once

#include "dse/space/expression.hpp"
#include "models/contract/architecture.hpp"
#include "sim/base/quantity_text.hpp"

#include <string_view>

namespace pimdse::dse::space {

/// The names an expression may use: parameters and metrics of one architecture.
struct Vocabulary {
    models::Parameters const& parameters;
    models::MetricList const& metrics;
};

/// A number made of metrics, and what it measures.
struct ParsedNumber {
    Expression expression;
    sim::Dimension dimension;
};

/// Compiles arithmetic of metrics, as objectives have it; ends of intervals are not read. Throws InputError in one
/// sentence.
[[nodiscard]] ParsedNumber parse_number(std::string_view text, models::MetricList const& metrics);

/// Compiles a condition. Throws InputError in one sentence: what is wrong, where in the text, and a suggestion.
[[nodiscard]] Expression parse_condition(std::string_view text, Vocabulary const& vocabulary);

}  // namespace pimdse::dse::space
