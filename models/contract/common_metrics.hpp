#pragma once

#include "models/contract/breakdown.hpp"
#include "models/contract/metric.hpp"
#include "models/contract/parameter.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models {

/// A metric with the same meaning in every architecture, so that machines can be compared.
struct CommonMetric {
    std::string_view name, unit, meaning;
    Sense better = Sense::minimize;
};

/// An architecture has those that apply to it, and uses these names for nothing else. The value of one that does not
/// apply to a point (ttft of a kernel that is not a language model) is NaN.
inline constexpr std::array<CommonMetric, 21> common_metrics{{
    {"latency", "s", "time from the request to the last output of the whole batch", Sense::minimize},
    {"ttft", "s", "time from the request to the first output token of the batch", Sense::minimize},
    {"itl", "s", "mean time between output tokens of a sequence", Sense::minimize},
    {"tokens_per_second", "1/s", "output tokens of the batch per second of latency", Sense::maximize},
    {"energy", "J", "total energy of the request", Sense::minimize},
    {"energy_per_token", "J", "energy per output token of the batch", Sense::minimize},
    {"power", "W", "mean power over the request, energy divided by latency (peak_power: largest of its phases)",
     Sense::minimize},
    {"prefill_power", "W", "mean power from the request to the first output token", Sense::minimize},
    {"decode_power", "W", "mean power from the first output token to the last", Sense::minimize},
    {"peak_power", "W", "largest mean power of any phase of the request", Sense::minimize},
    {"package_power", "W", "largest mean power of one DRAM package or memory die in any phase", Sense::minimize},
    {"idle_power", "W", "static power of the idle machine", Sense::minimize},
    {"area", "m2", "area of logic and on-chip memory of all dies that the machine needs", Sense::minimize},
    {"memory_area", "m2", "area of the DRAM dies that are part of the machine", Sense::minimize},
    {"silicon", "m2", "area of all dies of the machine, logic and memory, in all processes", Sense::minimize},
    {"footprint", "B", "off-chip memory that the request occupies", Sense::minimize},
    {"precision", "bit", "number of bits with which weights are computed", Sense::maximize},
    {"cost", "USD", "cost of the machine: dies, packages, memories and its part of the design (docs/cost.md)",
     Sense::minimize},
    {"embodied_carbon", "kg", "CO2 equivalents of making the machine's dies, packages and memories", Sense::minimize},
    {"cost_per_million_tokens", "USD",
     "machine over its lifetime and electricity, idle time included, for a million output tokens", Sense::minimize},
    {"carbon", "kg", "CO2 equivalents of the request: its part of embodied_carbon, and electricity, idle time included",
     Sense::minimize},
}};

/// Common metric by name; nullptr if there is none.
[[nodiscard]] CommonMetric const* find_common_metric(std::string_view name);

/// Row of a common metric for the table of an architecture. `note` follows the common meaning and states what is
/// particular to this architecture. Throws ContractViolation if there is no common metric with this name.
[[nodiscard]] Metric common_metric(std::string_view name, std::string_view note = "", bool assumed = false);

/// The same metric, which applies only if all these conditions are met.
[[nodiscard]] Metric needing(Metric metric, std::vector<Need> needs);

/// Value of a metric that does not apply to a point.
[[nodiscard]] Estimate does_not_apply();
[[nodiscard]] bool applies(Estimate const& estimate);

/// The metrics of an architecture and how each follows from its result. One row per metric keeps names and values in
/// step.
template <class Result>
class MetricTable {
  public:
    using Get = Estimate (*)(Result const&);

    void row(Metric metric, Get get) {
        metrics_.push_back(std::move(metric));
        gets_.push_back(get);
    }

    [[nodiscard]] MetricList const& metrics() const { return metrics_; }
    [[nodiscard]] Metrics of(Result const& result) const {
        constexpr std::size_t of_costs = 4;  // follow in models/economy
        Metrics values;
        values.reserve(gets_.size() + of_costs);
        for (auto const get : gets_) values.push_back(get(result));
        return values;
    }

  private:
    MetricList metrics_;
    std::vector<Get> gets_;
};

/// Part of the energy of a request with its bounds, named by a row of the ledger ("dram_array/prefill").
struct EnergyShare {
    std::string what;
    Estimate joules;
};

/// The metric `energy`: the sum of these parts.
[[nodiscard]] inline Estimate sum_of(std::vector<EnergyShare> const& shares) {
    Estimate sum;
    for (auto const& share : shares) sum += share.joules;
    return sum;
}

/// Sum of these parts, for a metric.
[[nodiscard]] inline double sum_of(std::vector<Share> const& shares) {
    double sum = 0.0;
    for (auto const& share : shares) sum += share.amount;
    return sum;
}

}  // namespace pimdse::models
