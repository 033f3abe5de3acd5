#pragma once

#include "dse/space/expression.hpp"
#include "models/contract/architecture.hpp"
#include "sim/base/quantity_text.hpp"

#include <string_view>

namespace pimdse::dse::space {

/// The names that an expression may use: parameters and metrics of one architecture.
struct Vocabulary {
    models::Parameters const& parameters;
    models::MetricList const& metrics;
};

/// An arithmetic expression of metrics and its dimension.
struct ParsedNumber {
    Expression expression;
    sim::Dimension dimension;
};

/// Compiles an arithmetic expression of metrics, as used for objectives; interval ends (METRIC.upper) are not accepted.
/// Throws InputError with one sentence.
[[nodiscard]] ParsedNumber parse_number(std::string_view text, models::MetricList const& metrics);

/// Compiles a condition. Throws InputError with one sentence: what is wrong, where in the text, and a suggestion.
[[nodiscard]] Expression parse_condition(std::string_view text, Vocabulary const& vocabulary);

}  // namespace pimdse::dse::space
