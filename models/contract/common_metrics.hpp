#pragma once

#include "models/contract/architecture.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models {

/// A metric that means the same wherever it is answered, so that machines can stand beside each other.
struct CommonMetric {
    std::string_view name, unit, meaning;
    Sense better = Sense::minimize;
};

/// An architecture answers those that apply to it, and nothing else under these names. Where one does not apply to a
/// point (ttft of a kernel that is no model) its answer is NaN.
inline constexpr std::array<CommonMetric, 17> common_metrics{{
    {"latency", "s", "from the request to the last output of the whole batch", Sense::minimize},
    {"ttft", "s", "from the request to the first output token of the batch", Sense::minimize},
    {"itl", "s", "mean time between output tokens of a sequence", Sense::minimize},
    {"tokens_per_second", "1/s", "output tokens of the batch over latency", Sense::maximize},
    {"energy", "J", "all rows of the ledger over the request", Sense::minimize},
    {"energy_per_token", "J", "energy over output tokens of the batch", Sense::minimize},
    {"power", "W", "energy over latency, a mean over the request; peak_power is what its hungriest phase draws",
     Sense::minimize},
    {"prefill_power", "W", "mean power from the request to the first output token", Sense::minimize},
    {"decode_power", "W", "mean power from the first output token to the last", Sense::minimize},
    {"peak_power", "W", "largest mean power of any phase of the request", Sense::minimize},
    {"package_power", "W", "largest mean power of one DRAM package or memory die in any phase", Sense::minimize},
    {"idle_power", "W", "the machine powered, no request", Sense::minimize},
    {"area", "m2", "logic and on-chip memory of every die the machine needs", Sense::minimize},
    {"memory_area", "m2", "DRAM dies that are part of the machine", Sense::minimize},
    {"silicon", "m2", "all dies of the machine, logic and memory, of all processes", Sense::minimize},
    {"footprint", "B", "what the request occupies off chip", Sense::minimize},
    {"precision", "bit", "of weights as computed", Sense::maximize},
}};

/// The common metric with this name; nullptr if there is none.
[[nodiscard]] CommonMetric const* find_common_metric(std::string_view name);

/// The row of a common metric for an architecture's table. `note` says what is particular about it here, after the
/// common meaning. Throws ContractViolation if there is no common metric of this name.
[[nodiscard]] Metric common_metric(std::string_view name, std::string_view note = "", bool assumed = false);

/// The same metric, which applies where all needs are met.
[[nodiscard]] Metric needing(Metric metric, std::vector<Need> needs);

/// What stands for a metric that does not apply to a point.
[[nodiscard]] Estimate does_not_apply();
[[nodiscard]] bool applies(Estimate const& estimate);

/// The metrics of an architecture and how each follows from its answer: one row a metric, so that names and values
/// cannot get out of step.
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
        Metrics values;
        values.reserve(gets_.size());
        for (auto const get : gets_) values.push_back(get(result));
        return values;
    }

  private:
    MetricList metrics_;
    std::vector<Get> gets_;
};

/// A share of a request's energy with its bounds, called by a row of the ledger ("dram_array/prefill").
struct EnergyShare {
    std::string what;
    Estimate joules;
};

/// The metric `energy` of these shares.
[[nodiscard]] inline Estimate sum_of(std::vector<EnergyShare> const& shares) {
    Estimate sum;
    for (auto const& share : shares) sum += share.joules;
    return sum;
}

/// The same area as a metric has it.
[[nodiscard]] inline double sum_of(std::vector<Share> const& shares) {
    double sum = 0.0;
    for (auto const& share : shares) sum += share.amount;
    return sum;
}

}  // namespace pimdse::models
