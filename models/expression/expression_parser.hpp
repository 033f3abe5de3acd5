#pragma once

#include "models/contract/metric.hpp"
#include "models/contract/parameter.hpp"
#include "models/expression/expression.hpp"
#include "sim/base/quantity_text.hpp"

#include <span>
#include <string>
#include <string_view>

namespace pimdse::models {

/// A number that an expression may use by name: a constant or another expression.
struct NamedNumber {
    std::string name;
    sim::Dimension dimension;
};

/// The names that an expression may use: parameters and metrics of one architecture, and further numbers.
struct Vocabulary {
    Parameters const& parameters;
    MetricList const& metrics;
    std::span<NamedNumber const> numbers{};
};

/// An arithmetic expression of metrics and its dimension.
struct ParsedNumber {
    Expression expression;
    sim::Dimension dimension;
};

/// Compiles an arithmetic expression of metrics, as used for objectives; interval ends (METRIC.upper) are not accepted.
/// Throws InputError with one sentence.
[[nodiscard]] ParsedNumber parse_number(std::string_view text, MetricList const& metrics);

/// Compiles an arithmetic expression of a machine file, which may use functions and, inside if(...), conditions. Throws
/// InputError with one sentence, as parse_condition does.
[[nodiscard]] ParsedNumber parse_arithmetic(std::string_view text, Vocabulary const& vocabulary);

/// Compiles a condition. Throws InputError with one sentence: what is wrong, where in the text, and a suggestion.
[[nodiscard]] Expression parse_condition(std::string_view text, Vocabulary const& vocabulary);

}  // namespace pimdse::models
