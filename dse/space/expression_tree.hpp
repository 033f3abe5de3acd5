#pragma once

#include "models/expression/expression.hpp"
#include "models/expression/expression_parser.hpp"
#include "sim/base/json.hpp"

namespace pimdse::dse::space {

/// The tree of an expression as JSON, for readers that have no parser (docs/spaces.md, Conditions). A number is a
/// number in SI, true and false are 1 and 0, a name of a choice is a text. {"parameter": NAME} and {"metric": NAME} are
/// columns; the value in SI is that of the column times "scale" (default: 1), and with "end" ("lower", "upper") it is
/// that end of the metric's interval. [OPERATOR, OPERAND, ...] is an operation: + - * / (- also with one operand),
/// < <= > >= == !=, and, or, not. `vocabulary` must be the one that the expression was parsed with.
[[nodiscard]] sim::Json tree_of(models::Expression const& expression, models::Vocabulary const& vocabulary);

}  // namespace pimdse::dse::space
