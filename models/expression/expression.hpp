#pragma once

#include "models/contract/outcome.hpp"
#include "models/contract/value.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models {

/// The value of a condition at a point (Kleene's strong three-valued logic).
enum class Truth : std::uint8_t { no, yes, unknown };

/// A type-checked condition or arithmetic expression over one point: names, numbers with units (16 GiB, 4 ns), quoted
/// text for choices, + - * /, comparisons, and, or, not, parentheses; in machine files also min(a, b), max(a, b),
/// ceil(a), floor(a) and if(condition, a, b). Compiled once; evaluation does no look-ups and allocates nothing beyond a
/// small stack.
///
/// METRIC.upper and METRIC.lower are the ends of a metric's interval at the fidelity of the result. Unknown are: a
/// metric that does not apply (NaN), an interval end without a bound, a parameter of another machine, and undefined
/// arithmetic (0/0). Arithmetic and comparisons with an unknown operand are unknown; `yes or unknown` is yes, `no and
/// unknown` is no, `not unknown` is unknown. expression_bounds.hpp follows the same rules, and so do
/// analysis/pimdse/condition.py and analysis/report/condition.js, which evaluate trees (expression_bounds.hpp).
/// tests/data/conditions.json tests all of them against one table.
class Expression {
  public:
    /// Per parameter: true if the point does not have it. Empty: the point has all parameters.
    using Absent = std::vector<bool>;

    enum class Code : std::uint8_t {
        number,
        parameter,
        metric,
        add,
        subtract,
        multiply,
        divide,
        negate,
        less,
        less_equal,
        greater,
        greater_equal,
        equal,
        not_equal,
        logical_and,
        logical_or,
        logical_not,
        named,  ///< a number of the vocabulary; from here on in machine files only
        minimum,
        maximum,
        ceiling,
        floor,
        select  ///< if(condition, a, b)
    };
    /// How many operands a step takes from the stack.
    [[nodiscard]] static constexpr int operands_of(Code code) {
        if (code <= Code::metric || code == Code::named) return 0;
        if (code == Code::negate || code == Code::logical_not || code == Code::ceiling || code == Code::floor) return 1;
        return code == Code::select ? 3 : 2;
    }
    /// Which number of a metric a step loads: the estimate or an end of its interval.
    enum class End : std::uint8_t { estimate, lower, upper };
    /// One step of the compiled form, in postfix order.
    struct Step {
        Code code = Code::number;
        double number = 0.0;      ///< Code::number, SI
        std::size_t index = 0;    ///< Code::parameter, Code::metric, Code::named
        double scale = 1.0;       ///< Code::parameter, Code::metric: one unit in SI
        End end = End::estimate;  ///< Code::metric
    };
    /// A comparison as written, and its place among the steps; sorted by `step`.
    struct Comparison {
        std::size_t left = 0, right = 0;  ///< first step of each side
        std::size_t step = 0;
        std::string text;
    };
    /// The contents of a compiled expression.
    struct Parts {
        std::vector<Step> steps;
        std::string text;
        std::size_t right_side = 0;  ///< first step of the right side if the expression is a single comparison; else 0
        bool uses_metrics = false;
        std::vector<Comparison> comparisons{};
    };
    static constexpr std::size_t deepest = 64;  ///< size of the evaluation stack

    /// Takes the output of the parser; it must not need a deeper stack than `deepest`.
    explicit Expression(Parts parts) : parts_(std::move(parts)) {}

    /// `metrics` may be empty when uses_metrics() is false.
    [[nodiscard]] Truth truth(Point point, std::span<Estimate const> metrics, Absent const& absent = {},
                              std::span<double const> numbers = {}) const;
    /// True if the point meets the condition; false if that is unknown.
    [[nodiscard]] bool holds(Point point, std::span<Estimate const> metrics, Absent const& absent = {}) const {
        return truth(point, metrics, absent) == Truth::yes;
    }
    /// The value of an arithmetic expression, in SI; NaN if unknown. `numbers` are those of the vocabulary.
    [[nodiscard]] double number(Point point, std::span<Estimate const> metrics,
                                std::span<double const> numbers = {}) const;
    /// The relative distance of an inequality from its limit: (limit - value)/limit for `value <= limit`; NaN for other
    /// forms.
    [[nodiscard]] double slack(Point point, std::span<Estimate const> metrics) const;
    [[nodiscard]] bool uses_metrics() const { return parts_.uses_metrics; }
    [[nodiscard]] bool reads_metric(std::size_t index) const { return reads(Code::metric, index); }
    [[nodiscard]] bool reads_parameter(std::size_t index) const { return reads(Code::parameter, index); }
    [[nodiscard]] bool reads_number(std::size_t index) const { return reads(Code::named, index); }
    [[nodiscard]] std::string const& text() const { return parts_.text; }
    [[nodiscard]] std::vector<Step> const& steps() const { return parts_.steps; }
    [[nodiscard]] std::vector<Comparison> const& comparisons() const { return parts_.comparisons; }
    /// The number that a step of Code::metric loads, in SI; NaN if the metric does not apply, or for an interval end
    /// without a bound.
    [[nodiscard]] static double number_of(Estimate const& metric, Step const& step);
    /// The number that stands for a parameter's value in expressions; `scale` as in Step.
    [[nodiscard]] static double number_of(Value const& value, double scale);

  private:
    [[nodiscard]] bool reads(Code code, std::size_t index) const;
    struct Operands {
        Point point;
        std::span<Estimate const> metrics;
        Absent const& absent;
        std::span<double const> numbers{};
    };
    /// The result of steps [from, to); NaN: unknown.
    [[nodiscard]] double run(Operands const& operands, std::size_t from, std::size_t to) const;
    Parts parts_;
};

}  // namespace pimdse::models
