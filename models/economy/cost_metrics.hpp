#pragma once

#include "models/contract/common_metrics.hpp"
#include "models/economy/economy.hpp"

#include <array>
#include <cstddef>

namespace pimdse::models::economy {

/// The metrics of cost and carbon of one machine: they follow its own ones, from which they are computed.
class CostMetrics {
  public:
    /// `own`: the machine's, with latency, energy, idle_power, tokens_per_second and energy_per_token. `note` says what
    /// its bill contains, or that it is a product.
    CostMetrics(MetricList own, std::string_view note);

    /// The machine's own metrics, then cost, embodied_carbon, cost_per_million_tokens and carbon.
    [[nodiscard]] MetricList const& table() const { return table_; }
    /// The same for values: `own` has one Estimate for each own metric.
    [[nodiscard]] Metrics with_costs(Metrics own, Economy const& economy, Materials const& materials) const;

  private:
    MetricList table_;
    std::size_t latency_, energy_, idle_power_, tokens_per_second_, energy_per_token_;
};

}  // namespace pimdse::models::economy
