#pragma once

#include "models/contract/breakdown.hpp"
#include "models/contract/ledger.hpp"
#include "models/contract/metric.hpp"
#include "models/contract/outcome.hpp"
#include "models/contract/parameter.hpp"
#include "models/contract/request_result.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models {

struct Architecture;

/// A metric with the same meaning in every architecture, so that machines can be compared, and how it follows from what
/// a machine does for a request. This table is the one place that defines it.
struct CommonMetric {
    std::string_view name, unit, meaning;
    Sense better = Sense::minimize;
    Estimate (*of)(RequestResult const&) = nullptr;
    std::string_view needs_as{};  ///< common metric whose conditions it has, in architectures that state none
};
template <Estimate RequestResult::*member>
[[nodiscard]] Estimate member_of(RequestResult const& result) {
    return result.*member;
}

/// An architecture has those that apply to it, and uses these names for nothing else. The value of one that does not
/// apply to a point (ttft of a kernel that is not a language model) is NaN.
inline constexpr std::array<CommonMetric, 21> common_metrics{{
    {"latency", "s", "time from the request to the last output of the whole batch", Sense::minimize,
     member_of<&RequestResult::latency>},
    {"ttft", "s", "time from the request to the first output token of the batch", Sense::minimize,
     member_of<&RequestResult::ttft>},
    {"itl", "s", "mean time between output tokens of a sequence", Sense::minimize, member_of<&RequestResult::itl>},
    {"tokens_per_second", "1/s", "output tokens of the batch per second of latency", Sense::maximize,
     [](RequestResult const& r) { return r.tokens_per_second(); }},
    {"energy", "J", "total energy of the request", Sense::minimize, member_of<&RequestResult::energy>},
    {"energy_per_token", "J", "energy per output token of the batch", Sense::minimize,
     [](RequestResult const& r) { return r.energy_per_token(); }},
    {"power", "W", "mean power over the request, energy divided by latency (peak_power: largest of its phases)",
     Sense::minimize, member_of<&RequestResult::power>},
    {"prefill_power", "W", "mean power from the request to the first output token", Sense::minimize,
     member_of<&RequestResult::prefill_power>},
    {"decode_power", "W", "mean power from the first output token to the last", Sense::minimize,
     member_of<&RequestResult::decode_power>},
    {"peak_power", "W", "largest mean power of any phase of the request", Sense::minimize,
     member_of<&RequestResult::peak_power>},
    {"package_power", "W", "largest mean power of one DRAM package or memory die in any phase", Sense::minimize,
     member_of<&RequestResult::package_power>},
    {"idle_power", "W", "static power of the idle machine", Sense::minimize, member_of<&RequestResult::idle_power>},
    {"area", "m2", "area of logic and on-chip memory of all dies that the machine needs", Sense::minimize,
     member_of<&RequestResult::area>},
    {"memory_area", "m2", "area of the DRAM dies that are part of the machine", Sense::minimize,
     member_of<&RequestResult::memory_area>},
    {"silicon", "m2", "area of all dies of the machine, logic and memory, in all processes", Sense::minimize,
     [](RequestResult const& r) { return r.area + r.memory_area; }},
    {"footprint", "B", "off-chip memory that the request occupies", Sense::minimize,
     member_of<&RequestResult::footprint>},
    {"precision", "bit", "number of bits with which weights are computed", Sense::maximize,
     member_of<&RequestResult::precision>},
    {"cost", "USD", "cost of the machine: dies, packages, memories and its part of the design (docs/cost.md)",
     Sense::minimize, member_of<&RequestResult::cost>},
    {"embodied_carbon", "kg", "CO2 equivalents of making the machine's dies, packages and memories", Sense::minimize,
     member_of<&RequestResult::embodied_carbon>},
    {"cost_per_million_tokens", "USD",
     "machine over its lifetime and electricity, idle time included, for a million output tokens", Sense::minimize,
     member_of<&RequestResult::cost_per_million_tokens>, "tokens_per_second"},
    {"carbon", "kg", "CO2 equivalents of the request: its part of embodied_carbon, and electricity, idle time included",
     Sense::minimize, member_of<&RequestResult::carbon>},
}};

/// Common metric by name; nullptr if there is none.
[[nodiscard]] CommonMetric const* find_common_metric(std::string_view name);

/// Row of a common metric for the table of an architecture. `note` follows the common meaning and states what is
/// particular to this architecture. Throws ContractViolation if there is no common metric with this name.
[[nodiscard]] Metric common_metric(std::string_view name, std::string_view note = "", bool assumed = false);

/// The same metric, which applies only if all these conditions are met.
[[nodiscard]] Metric needing(Metric metric, std::vector<Need> needs);

/// The metrics of an architecture, with how each of its own follows from its result. One row per metric keeps names and
/// values in step.
template <class Result>
class MetricTable {
  public:
    using Get = Estimate (*)(Result const&);

    /// A metric of its own.
    void row(Metric metric, Get get) {
        metrics_.push_back(std::move(metric));
        gets_.push_back(get);
    }
    /// A common metric with what is particular to this architecture, which follows from its RequestResult.
    void row(Metric common) { row(std::move(common), nullptr); }

    [[nodiscard]] MetricList const& metrics() const { return metrics_; }
    /// Those whose names another list does not have.
    [[nodiscard]] MetricList metrics_but(MetricList const& others) const {
        auto all = metrics_;
        std::erase_if(all, [&](Metric const& metric) { return find_metric(others, metric.name) >= 0; });
        return all;
    }
    /// Values of the metrics that are neither common nor in `others`.
    [[nodiscard]] Metrics of(Result const& result, MetricList const& others = {}) const {
        Metrics values;
        values.reserve(gets_.size());
        for (std::size_t i = 0; i < gets_.size(); ++i)
            if (gets_[i] != nullptr && (others.empty() || find_metric(others, metrics_[i].name) < 0))
                values.push_back(gets_[i](result));
        return values;
    }

  private:
    MetricList metrics_;
    std::vector<Get> gets_;  ///< by metric; nullptr: it is common
};

/// The metrics of a list that are not common, in its order.
[[nodiscard]] MetricList without_common(MetricList metrics);

/// The same list with all common metrics: those that it does not have are last. `bill` says what `cost` contains.
[[nodiscard]] MetricList with_common(MetricList metrics, std::string_view bill);

/// Which metrics of an architecture are common, so that all of them follow from a RequestResult.
struct MetricPlan {
    explicit MetricPlan(MetricList metrics);

    MetricList table;
    std::vector<CommonMetric const*> common;  ///< for each metric of the table; nullptr: its own

    /// One estimate for each metric of the table.
    [[nodiscard]] Metrics of(RequestResult const& result) const;
};

/// The architecture with `evaluate` and `explain` by its `request` and its metrics.
[[nodiscard]] Architecture answering(Architecture architecture);

/// Appends a share for each row that has joules, named after it and, if there is one, the part.
void append(std::vector<Share>& shares, EnergyByRow const& joules, std::string const& part = "");

/// Sum of these parts, for a metric.
[[nodiscard]] inline double sum_of(std::vector<Share> const& shares) {
    double sum = 0.0;
    for (auto const& share : shares) sum += share.amount;
    return sum;
}

}  // namespace pimdse::models
