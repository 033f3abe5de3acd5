#include "models/expression/slopes.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace pimdse::models {
namespace {

using Code = Expression::Code;
using Operands = std::span<MovedOperand const>;

ConstantSlope flat_or_unknown(Operands of) {
    bool const flat = std::ranges::all_of(of, [](auto const& one) { return one.slope == Slope::flat; });
    return flat ? ConstantSlope(Slope::flat) : std::nullopt;
}

bool is_fixed_factor(MovedOperand const& operand) { return operand.slope == Slope::flat && operand.non_negative; }

MovedOperand product(MovedOperand const& a, MovedOperand const& b) {
    bool const non_negative = a.non_negative && b.non_negative;
    if (is_fixed_factor(a)) return {b.slope, non_negative};
    if (is_fixed_factor(b)) return {a.slope, non_negative};
    if (non_negative) return {joined(a.slope, b.slope), true};
    return {flat_or_unknown(std::array{a, b}), false};
}

MovedOperand quotient(MovedOperand const& a, MovedOperand const& b) {
    bool const non_negative = a.non_negative && b.non_negative;
    if (is_fixed_factor(b)) return {a.slope, non_negative};
    if (non_negative) return {joined(a.slope, opposite(b.slope)), true};
    return {flat_or_unknown(std::array{a, b}), false};
}

MovedOperand after(Code code, Operands of) {
    switch (code) {
        case Code::add:
        case Code::minimum:
            return {joined(of[0].slope, of[1].slope), of[0].non_negative && of[1].non_negative};
        case Code::maximum:
            return {joined(of[0].slope, of[1].slope), of[0].non_negative || of[1].non_negative};
        case Code::subtract:
            return {joined(of[0].slope, opposite(of[1].slope)), false};
        case Code::multiply:
            return product(of[0], of[1]);
        case Code::divide:
            return quotient(of[0], of[1]);
        case Code::negate:
            return {opposite(of[0].slope), false};
        case Code::ceiling:
        case Code::floor:
            return of[0];
        case Code::select: {
            bool const fixed = of[0].slope == Slope::flat;
            return {fixed ? joined(of[1].slope, of[2].slope) : flat_or_unknown(of),
                    of[1].non_negative && of[2].non_negative};
        }
        case Code::logical_and:
        case Code::logical_or:
            return {joined(of[0].slope, of[1].slope), false};
        case Code::less:
        case Code::less_equal:
            return {joined(of[0].slope, opposite(of[1].slope)), false};
        case Code::greater:
        case Code::greater_equal:
            return {joined(opposite(of[0].slope), of[1].slope), false};
        case Code::logical_not:
            return {opposite(of[0].slope), false};
        default:
            return {flat_or_unknown(of), false};
    }
}

}  // namespace

MovedOperand moved(Expression const& expression, MovedLeaf const& leaf) {
    std::vector<MovedOperand> stack;
    for (auto const& step : expression.steps()) {
        auto const count = static_cast<std::size_t>(Expression::operands_of(step.code));
        if (count == 0) {
            stack.push_back(leaf(step));
            continue;
        }
        auto const result = after(step.code, Operands(stack).last(count));
        stack.resize(stack.size() - count);
        stack.push_back(result);
    }
    return stack.back();
}

}  // namespace pimdse::models
