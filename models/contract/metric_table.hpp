#pragma once

#include "models/contract/architecture.hpp"

#include <utility>
#include <vector>

namespace pimdse::models {

/// The metrics of an architecture and how each follows from its answer: one row a metric, so that names and values
/// cannot get out of step.
template <class Answer>
class MetricTable {
  public:
    using Get = Estimate (*)(Answer const&);

    void row(Metric metric, Get get) {
        metrics_.push_back(std::move(metric));
        gets_.push_back(get);
    }

    [[nodiscard]] MetricList const& metrics() const { return metrics_; }
    [[nodiscard]] Metrics of(Answer const& answer) const {
        Metrics values;
        values.reserve(gets_.size());
        for (auto const get : gets_) values.push_back(get(answer));
        return values;
    }

  private:
    MetricList metrics_;
    std::vector<Get> gets_;
};

}  // namespace pimdse::models
