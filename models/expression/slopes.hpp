#pragma once

#include "models/contract/constant_slopes.hpp"
#include "models/expression/expression.hpp"

#include <functional>

namespace pimdse::models {

/// How a number or a condition moves while something grows, and its sign. A condition moves up as it becomes false.
struct MovedOperand {
    ConstantSlope slope;
    bool non_negative = false;
};

/// What is known of a leaf of an expression: a number, parameter, metric or named number.
using MovedLeaf = std::function<MovedOperand(Expression::Step const& step)>;

/// Of an expression, from its leaves by the signs of its operations: a product or quotient moves in a known way only
/// if both factors are non-negative, or if one moves alone beside a factor that is. An operation about which nothing is
/// known moves if an operand does, either way.
[[nodiscard]] MovedOperand moved(Expression const& expression, MovedLeaf const& leaf);

}  // namespace pimdse::models
