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

/// Which requests have a metric: all, those that yield tokens, or those that yield some after the first one.
enum class Requests : std::uint8_t { all, with_tokens, with_later_tokens };

/// A metric with the same meaning in every architecture, so that machines can be compared, and how it follows from what
/// a machine does for a request.
struct CommonMetric {
    std::string_view name, unit, meaning;
    Estimate (*of)(RequestResult const&) = nullptr;
    Sense better = Sense::minimize;
    bool assumed = false;  ///< as in Metric, in every architecture
    Requests requests = Requests::all;
    bool needs_power = false;  ///< it follows from energy or power though its unit does not say so
};
template <Estimate RequestResult::*member>
[[nodiscard]] Estimate member_of(RequestResult const& result) {
    return result.*member;
}

/// The one place that defines common metrics, in the order of printing: machines, groups of devices, pairs and services
/// have those that apply to their results. An architecture uses these names for nothing else. The value of one that
/// does not apply to a point (ttft of a kernel that is not a language model) is NaN.
inline constexpr std::array<CommonMetric, 25> common_metrics{{
    {"latency", "s", "time from the request to the last output of the whole batch", member_of<&RequestResult::latency>},
    {"ttft", "s",
     "time from the request to the first output token of the batch; diffusion: to the end of its first step",
     member_of<&RequestResult::ttft>, minimize, false, Requests::with_tokens},
    {"itl", "s",
     "mean time between output tokens of a sequence; diffusion: all steps after the first, for each of them",
     member_of<&RequestResult::itl>, minimize, false, Requests::with_later_tokens},
    {"tokens_per_second", "1/s", "output tokens of the batch per second of latency",
     [](RequestResult const& r) { return r.tokens_per_second(); }, maximize, false, Requests::with_tokens},
    {"throughput_with_prompt", "1/s", "prompt and output tokens of the batch per second of latency, as in PRIMAL",
     [](RequestResult const& r) { return r.amount(r.positions) / r.latency; }, maximize, false, Requests::with_tokens},
    {"energy", "J", "total energy of the request", member_of<&RequestResult::energy>, minimize, true},
    {"energy_per_token", "J", "energy per output token of the batch",
     [](RequestResult const& r) { return r.energy_per_token(); }, minimize, true, Requests::with_tokens},
    {"output_tokens_per_joule", "1/J", "output tokens of the batch per joule",
     [](RequestResult const& r) { return r.per_joule(r.tokens); }, maximize, true, Requests::with_tokens},
    {"tokens_per_joule_with_prompt", "1/J", "prompt and output tokens of the batch per joule, as in PRIMAL",
     [](RequestResult const& r) { return r.per_joule(r.positions); }, maximize, true, Requests::with_tokens},
    {"energy_delay", "J*s", "energy x latency", [](RequestResult const& r) { return r.energy * r.latency; }, minimize,
     true},
    {"power", "W", "mean power over the request, energy divided by latency (peak_power: largest of its phases)",
     member_of<&RequestResult::power>, minimize, true},
    {"prefill_power", "W", "mean power from the request to the first output token; diffusion: of its first step",
     member_of<&RequestResult::prefill_power>, minimize, true, Requests::with_tokens},
    {"decode_power", "W", "mean power from the first output token to the last; diffusion: of all later steps",
     member_of<&RequestResult::decode_power>, minimize, true, Requests::with_later_tokens},
    {"peak_power", "W", "largest mean power of any phase of the request", member_of<&RequestResult::peak_power>,
     minimize, true},
    {"package_power", "W", "largest mean power of one DRAM package or memory die in any phase",
     member_of<&RequestResult::package_power>, minimize, true},
    {"idle_power", "W", "static power of the idle machine", member_of<&RequestResult::idle_power>, minimize, true},
    {"area", "m2", "area of logic and on-chip memory of all dies that the machine needs",
     member_of<&RequestResult::area>},
    {"memory_area", "m2", "area of the DRAM dies that are part of the machine", member_of<&RequestResult::memory_area>,
     minimize, true},
    {"silicon", "m2", "area of all dies of the machine, logic and memory, in all processes",
     [](RequestResult const& r) { return r.area + r.memory_area; }},
    {"footprint", "B", "off-chip memory that the request occupies", member_of<&RequestResult::footprint>},
    {"precision", "bit", "number of bits with which weights are computed", member_of<&RequestResult::precision>,
     maximize},
    {"cost", "USD", "cost of the machine: dies, packages, memories and its part of the design (docs/cost.md)",
     member_of<&RequestResult::cost>, minimize, true},
    {"embodied_carbon", "kg", "CO2 equivalents of making the machine's dies, packages and memories",
     member_of<&RequestResult::embodied_carbon>, minimize, true},
    {"cost_per_million_tokens", "USD",
     "machine over its lifetime and electricity, idle time included, for a million output tokens",
     member_of<&RequestResult::cost_per_million_tokens>, minimize, true, Requests::with_tokens, true},
    {"carbon", "kg", "CO2 equivalents of the request: its part of embodied_carbon, and electricity, idle time included",
     member_of<&RequestResult::carbon>, minimize, true, Requests::all, true},
}};

/// Common metric by name; nullptr if there is none.
[[nodiscard]] CommonMetric const* find_common_metric(std::string_view name);

/// Its row for the table of an architecture; `note` follows the common meaning. Throws ContractViolation if there is no
/// common metric with this name.
[[nodiscard]] Metric common_metric(std::string_view name, std::string_view note = "");

/// The same metric, which applies only if all these conditions are met.
[[nodiscard]] Metric needing(Metric metric, std::vector<Need> needs);

/// What is particular to a common metric in an architecture.
struct MetricNote {
    std::string_view metric, text;
    bool assumed = false;       ///< beyond what is assumed in every architecture
    std::vector<Need> needs{};  ///< beyond those of the requests that have it
};
/// Conditions for a request of an architecture to yield tokens, and tokens after the first one.
struct RequestNeeds {
    std::vector<Need> tokens{}, later_tokens{needs_more_than("output", 1)};
};

/// The metrics of an architecture: all common ones, and then its own. Precondition: every note is of a common metric.
[[nodiscard]] MetricList with_common(MetricList own, std::vector<MetricNote> const& notes,
                                     RequestNeeds const& needs = {});

/// Sets `absent` of all metrics that follow from the power of a machine: of energy and power, and of what these cost.
void leave_out_power(MetricList& metrics, std::string const& why);

/// Metrics with how each follows from a result. One row per metric keeps names and values in step.
template <class Result>
class MetricTable {
  public:
    using Get = Estimate (*)(Result const&);

    void row(Metric metric, Get get) {
        metrics_.push_back(std::move(metric));
        gets_.push_back(get);
    }

    [[nodiscard]] MetricList const& metrics() const { return metrics_; }
    /// Those whose names another list does not have.
    [[nodiscard]] MetricList metrics_but(MetricList const& others) const {
        auto all = metrics_;
        std::erase_if(all, [&](Metric const& metric) { return find_metric(others, metric.name) >= 0; });
        return all;
    }
    /// Values of the metrics that are not in `others`.
    [[nodiscard]] Metrics of(Result const& result, MetricList const& others = {}) const {
        Metrics values;
        values.reserve(gets_.size());
        for (std::size_t i = 0; i < gets_.size(); ++i)
            if (others.empty() || find_metric(others, metrics_[i].name) < 0) values.push_back(gets_[i](result));
        return values;
    }

  private:
    MetricList metrics_;
    std::vector<Get> gets_;  ///< by metric
};

/// The metrics of a list that are not common, in its order.
[[nodiscard]] MetricList without_common(MetricList metrics);

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
