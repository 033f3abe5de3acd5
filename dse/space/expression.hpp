#pragma once

#include "models/contract/architecture.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// What a condition is of one point (Kleene's strong three-valued logic).
enum class Truth : std::uint8_t { no, yes, unknown };

/// A checked condition or number over one point: names, numbers with units (16 GiB, 4 ns), text in quotes for choices,
/// + - * /, comparisons, and, or, not, parentheses. Compiled once; evaluation looks nothing up and allocates nothing
/// beyond a small stack.
///
/// METRIC.upper and METRIC.lower are the ends of a metric's interval at the fidelity of the answer. A metric that does
/// not apply (NaN), an end that is not known, a parameter of another machine, and what arithmetic leaves undefined
/// (0/0) are unknown. Arithmetic and comparisons with an unknown operand are unknown; `yes or unknown` is yes, `no and
/// unknown` is no, `not unknown` is unknown. expression_bounds.hpp follows the same rules, and so do
/// analysis/pimdse/condition.py and analysis/report/condition.js, which evaluate trees (expression_tree.hpp).
/// tests/data/conditions.json checks all of them.
class Expression {
  public:
    /// By parameter, true: the point does not have it. Empty: it has all.
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
        logical_not
    };
    /// Which number of a metric a step loads: its estimate, or an end of its interval.
    enum class End : std::uint8_t { estimate, lower, upper };
    /// One step of the compiled form, in postfix order.
    struct Step {
        Code code = Code::number;
        double number = 0.0;      ///< Code::number, SI
        std::size_t index = 0;    ///< Code::parameter, Code::metric
        double scale = 1.0;       ///< Code::parameter, Code::metric: SI value of one of the unit
        End end = End::estimate;  ///< Code::metric
    };
    /// A comparison as it was written, and where it is among the steps; they ascend by `step`.
    struct Comparison {
        std::size_t left = 0, right = 0;  ///< where its sides begin
        std::size_t step = 0;
        std::string text;
    };
    /// What an expression is made of.
    struct Parts {
        std::vector<Step> steps;
        std::string text;
        std::size_t right_side = 0;  ///< where the right side of an outermost comparison begins; 0: it is none
        bool uses_metrics = false;
        std::vector<Comparison> comparisons{};
    };
    static constexpr std::size_t deepest = 64;  ///< numbers that may wait for their operators

    /// As a parser made it: no more numbers wait at a time than `deepest`.
    explicit Expression(Parts parts) : parts_(std::move(parts)) {}

    /// `metrics` may be empty when uses_metrics() is false.
    [[nodiscard]] Truth truth(models::Point point, std::span<models::Estimate const> metrics,
                              Absent const& absent = {}) const;
    /// True if the point meets it: unknown does not.
    [[nodiscard]] bool holds(models::Point point, std::span<models::Estimate const> metrics,
                             Absent const& absent = {}) const {
        return truth(point, metrics, absent) == Truth::yes;
    }
    /// What an expression that is a number comes to, in SI; NaN: unknown.
    [[nodiscard]] double number(models::Point point, std::span<models::Estimate const> metrics) const;
    /// How far an inequality is from its limit, relative: (limit - value)/limit for `value <= limit`; NaN for other
    /// forms.
    [[nodiscard]] double slack(models::Point point, std::span<models::Estimate const> metrics) const;
    [[nodiscard]] bool uses_metrics() const { return parts_.uses_metrics; }
    [[nodiscard]] bool reads_metric(std::size_t index) const { return reads(Code::metric, index); }
    [[nodiscard]] bool reads_parameter(std::size_t index) const { return reads(Code::parameter, index); }
    [[nodiscard]] std::string const& text() const { return parts_.text; }
    [[nodiscard]] std::vector<Step> const& steps() const { return parts_.steps; }
    [[nodiscard]] std::vector<Comparison> const& comparisons() const { return parts_.comparisons; }
    /// What a step of Code::metric loads, in SI; NaN where the metric does not apply, and of an end behind which
    /// nothing stands.
    [[nodiscard]] static double number_of(models::Estimate const& metric, Step const& step);
    /// What an expression reads of a parameter's value; `scale` as in Step.
    [[nodiscard]] static double number_of(models::Value const& value, double scale);

  private:
    [[nodiscard]] bool reads(Code code, std::size_t index) const;
    struct Operands {
        models::Point point;
        std::span<models::Estimate const> metrics;
        Absent const& absent;
    };
    /// NaN: unknown.
    [[nodiscard]] double run(Operands const& operands, std::size_t from, std::size_t to) const;
    Parts parts_;
};

}  // namespace pimdse::dse::space
