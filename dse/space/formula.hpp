#pragma once

#include "dse/space/expression_bounds.hpp"
#include "models/contract/metric.hpp"
#include "models/expression/expression.hpp"
#include "sim/base/quantity_text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::space {

/// An objective that is an arithmetic expression of metrics, such as `area + memory_area`: a metric of its own whose
/// name is the text of the formula and whose interval follows from the metrics' intervals by interval arithmetic.
/// Compiled for one list of metrics.
class MetricFormula {
  public:
    /// The text may contain numbers with units, names of metrics (also METRIC@SCENARIO), + - * / and parentheses.
    /// `minimize` or `maximize` must come first if the sense does not follow from the metrics. Throws InputError: a
    /// syntax error, an unknown metric, different units, a condition, no metric, or an undecided sense.
    MetricFormula(models::MetricList const& metrics, std::string_view text);

    /// Name, unit (SI), sense and meaning of the formula; assumed if one of its metrics is.
    [[nodiscard]] models::Metric const& metric() const { return metric_; }
    [[nodiscard]] models::Expression const& expression() const { return expression_; }
    /// The estimate of the formula from metrics in the order of the list. NaN if one of its metrics does not apply. An
    /// end of the interval is proved if it follows from proved ends, and calibrated if it also needs calibrated ends.
    [[nodiscard]] models::Estimate of(models::Metrics const& metrics) const;
    /// The interval of the formula for metrics within their proved intervals.
    [[nodiscard]] Reach reach_of(models::Metrics const& metrics) const;
    /// Positions of the formula's metrics, ascending.
    [[nodiscard]] std::vector<std::size_t> const& reads() const { return reads_; }
    /// How the formula changes when one of its metrics grows, if metrics are not negative: 1 grows, -1 falls, 0
    /// unknown.
    [[nodiscard]] int direction_of(std::size_t metric) const;

  private:
    models::Metric metric_;
    models::Expression expression_;
    std::vector<std::size_t> reads_;
    std::vector<int> directions_;  ///< same order as reads_
};

/// The SI unit of a dimension in the syntax of parse_unit: "m2*s", "J/s", "1".
[[nodiscard]] std::string si_unit_of(sim::Dimension dimension);

/// The position of formulas in a list of metrics: after the plain metrics of all machines and before metrics of
/// scenarios and of single machines. Result files store them there.
[[nodiscard]] std::size_t place_of_formulas(models::MetricList const& metrics);

}  // namespace pimdse::dse::space
