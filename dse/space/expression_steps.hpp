#pragma once

#include "dse/space/expression.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// The steps of an expression that is being compiled, and how many numbers wait at a time when they run.
class ExpressionSteps {
  public:
    using Code = Expression::Code;

    void add(Expression::Step step) {
        bool const pushes = step.code == Code::number || step.code == Code::parameter || step.code == Code::metric;
        bool const turns = step.code == Code::negate || step.code == Code::logical_not;
        waiting_ += pushes ? 1 : turns ? 0 : -1;
        most_waiting_ = std::max(most_waiting_, waiting_);
        steps_.push_back(step);
    }
    /// Makes a step that loads something load this number.
    void load_instead(std::size_t step, double number) { steps_[step] = {.code = Code::number, .number = number}; }

    [[nodiscard]] std::size_t size() const { return steps_.size(); }
    [[nodiscard]] bool too_deep() const { return most_waiting_ > static_cast<int>(Expression::deepest); }
    [[nodiscard]] std::vector<Expression::Step> take() { return std::move(steps_); }

  private:
    std::vector<Expression::Step> steps_;
    int waiting_ = 0, most_waiting_ = 0;
};

}  // namespace pimdse::dse::space
