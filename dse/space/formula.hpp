#pragma once

#include "dse/space/expression.hpp"
#include "dse/space/expression_bounds.hpp"
#include "models/contract/architecture.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::space {

/// An objective that is arithmetic of metrics, such as `area + memory_area`: a metric of its own, whose name is its
/// text and whose interval follows from theirs by interval arithmetic. Compiled for one list of metrics.
class MetricFormula {
  public:
    /// Text is numbers with units, names of metrics (METRIC@SCENARIO too), + - * / and parentheses; `minimize` or
    /// `maximize` stands before what does not say itself which way is better. Throws InputError: a syntax error, a name
    /// that is no metric, units that differ, a condition, no metric read, or no way that is better.
    MetricFormula(models::MetricList const& metrics, std::string_view text);

    /// Its name, unit (SI), sense and meaning; assumed if a metric that it reads is.
    [[nodiscard]] models::Metric const& metric() const { return metric_; }
    [[nodiscard]] Expression const& expression() const { return expression_; }
    /// Of metrics in the order of the list. NaN where one that it reads does not apply. Ends are proved where proved
    /// ends make them, calibrated where calibrated ends do.
    [[nodiscard]] models::Estimate of(models::Metrics const& metrics) const;
    /// Where it lies, of metrics within their proved intervals.
    [[nodiscard]] Reach reach_of(models::Metrics const& metrics) const;
    /// Positions of the metrics that it reads, ascending.
    [[nodiscard]] std::vector<std::size_t> const& reads() const { return reads_; }
    /// Which way the formula goes when a metric that it reads grows, metrics not being negative: 1 up, -1 down, 0 that
    /// is not known.
    [[nodiscard]] int direction_of(std::size_t metric) const;

  private:
    models::Metric metric_;
    Expression expression_;
    std::vector<std::size_t> reads_;
    std::vector<int> directions_;  ///< as reads_
};

/// The metrics with those of formulas, which come behind the plain ones of all machines and before those of scenarios
/// and of single machines: where a result file has them.
[[nodiscard]] std::size_t place_of_formulas(models::MetricList const& metrics);

}  // namespace pimdse::dse::space
