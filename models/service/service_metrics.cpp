#include "models/service/service_metrics.hpp"

#include "models/contract/common_metrics.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace pimdse::models::service {
namespace {

using sim::serving::ServiceSummary;
using sim::serving::Spread;

/// What the intervals of a metric follow from: the same figure of requests that are served alone bounds it from the
/// good side, for rates only if these take any time; or nothing is known.
enum class Bounded : std::uint8_t { unknown, alone, rate };

struct ServiceRow {
    std::string_view name, unit, meaning;
    Sense better = Sense::minimize;
    Bounded bounded = Bounded::unknown;
    double (*get)(ServiceSummary const&) = nullptr;  ///< NaN if it does not apply
};

constexpr double none = std::numeric_limits<double>::quiet_NaN();

using SpreadOf = std::optional<Spread> ServiceSummary::*;
template <SpreadOf spread, double Spread::*which>
double of(ServiceSummary const& s) {
    return s.*spread ? (*(s.*spread)).*which : none;
}
template <double ServiceSummary::*member>
double of(ServiceSummary const& s) {
    return s.*member;
}
template <std::int64_t ServiceSummary::*member>
double of(ServiceSummary const& s) {
    return sim::as_double(s.*member);
}

constexpr auto ttft = &ServiceSummary::ttft;
constexpr auto tpot = &ServiceSummary::tpot;
constexpr auto e2e = &ServiceSummary::e2e;

constexpr std::array rows{
    ServiceRow{"goodput", "1/s", "requests per second that met the limits of [scenario.slo]", Sense::maximize,
               Bounded::rate, of<&ServiceSummary::goodput>},
    ServiceRow{"good_share", "1", "share of all requests that met the limits", Sense::maximize, Bounded::alone,
               of<&ServiceSummary::good_share>},
    // Three rows have no function: they do not follow from the schedule of this load.
    ServiceRow{"max_rate", "1/s",
               "highest rate of such requests, as many as that takes, at which the wanted share of them meets the "
               "limits and no queue grows (1 % wide)",
               Sense::maximize, Bounded::unknown, nullptr},
    ServiceRow{"sustained_rate", "1/s",
               "requests served per second if they arrive at max_rate: less than max_rate if they are too few to tell",
               Sense::maximize, Bounded::unknown, nullptr},
    ServiceRow{"request_rate", "1/s", "requests served per second", Sense::maximize, Bounded::rate,
               of<&ServiceSummary::request_rate>},
    ServiceRow{"output_rate", "1/s", "tokens generated per second", Sense::maximize, Bounded::rate,
               of<&ServiceSummary::output_rate>},
    ServiceRow{"ttft_mean", "s", "time from arrival to first token, mean", Sense::minimize, Bounded::alone,
               of<ttft, &Spread::mean>},
    ServiceRow{"ttft_p50", "s", "time from arrival to first token, median", Sense::minimize, Bounded::alone,
               of<ttft, &Spread::p50>},
    ServiceRow{"ttft_p90", "s", "time from arrival to first token, 90th percentile", Sense::minimize, Bounded::alone,
               of<ttft, &Spread::p90>},
    ServiceRow{"ttft_p99", "s", "time from arrival to first token, 99th percentile", Sense::minimize, Bounded::alone,
               of<ttft, &Spread::p99>},
    ServiceRow{"tpot_mean", "s", "time per token after the first, mean over requests", Sense::minimize, Bounded::alone,
               of<tpot, &Spread::mean>},
    ServiceRow{"tpot_p50", "s", "time per token after the first, median", Sense::minimize, Bounded::alone,
               of<tpot, &Spread::p50>},
    ServiceRow{"tpot_p90", "s", "time per token after the first, 90th percentile", Sense::minimize, Bounded::alone,
               of<tpot, &Spread::p90>},
    ServiceRow{"tpot_p99", "s", "time per token after the first, 99th percentile", Sense::minimize, Bounded::alone,
               of<tpot, &Spread::p99>},
    ServiceRow{"e2e_mean", "s", "time from arrival to last token, mean", Sense::minimize, Bounded::alone,
               of<e2e, &Spread::mean>},
    ServiceRow{"e2e_p50", "s", "time from arrival to last token, median", Sense::minimize, Bounded::alone,
               of<e2e, &Spread::p50>},
    ServiceRow{"e2e_p90", "s", "time from arrival to last token, 90th percentile", Sense::minimize, Bounded::alone,
               of<e2e, &Spread::p90>},
    ServiceRow{"e2e_p99", "s", "time from arrival to last token, 99th percentile", Sense::minimize, Bounded::alone,
               of<e2e, &Spread::p99>},
    ServiceRow{"queue_p99", "s", "time from arrival to the first step that serves a request, 99th percentile",
               Sense::minimize, Bounded::alone, of<&ServiceSummary::queue, &Spread::p99>},
    ServiceRow{"makespan", "s", "time from the first arrival to the last token", Sense::minimize, Bounded::alone,
               of<&ServiceSummary::makespan>},
    ServiceRow{"preemptions", "1", "sequences that lost their cache to others", Sense::minimize, Bounded::unknown,
               of<&ServiceSummary::preemptions>},
    ServiceRow{"rejected", "1", "requests that exceed the cache or the context of the model", Sense::minimize,
               Bounded::unknown, of<&ServiceSummary::rejected>},
    ServiceRow{"kv_peak", "1", "largest share of the cache of keys and values in use", Sense::minimize,
               Bounded::unknown, of<&ServiceSummary::kv_peak>},
    ServiceRow{"reused_share", "1", "share of the positions of prompts that the cache had from earlier requests",
               Sense::maximize, Bounded::unknown, of<&ServiceSummary::reused_share>},
    ServiceRow{"evictions", "1", "blocks of beginnings of prompts that left the cache for others", Sense::minimize,
               Bounded::unknown, of<&ServiceSummary::evictions>},
    ServiceRow{"fetched_share", "1", "share of the positions of prompts that came from the tier", Sense::none,
               Bounded::unknown, of<&ServiceSummary::fetched_share>},
    ServiceRow{"tier_bytes", "B", "keys and values that moved to the tier and from it", Sense::minimize,
               Bounded::unknown, of<&ServiceSummary::tier_bytes>},
    ServiceRow{"energy_per_good_token", "J",
               "all energy, idle time included, over the tokens of requests within the limits", Sense::minimize,
               Bounded::unknown, [](ServiceSummary const& s) { return s.energy_per_good_token.value_or(none); }},
    ServiceRow{"carbon_per_good_token", "kg",
               "CO2 equivalents of this time, embodied_carbon and idle time included, over the tokens of requests "
               "within the limits",
               Sense::minimize, Bounded::unknown, nullptr},
    ServiceRow{"mean_power", "W", "mean power from the first arrival to the last token", Sense::minimize,
               Bounded::unknown, of<&ServiceSummary::mean_power>},
    ServiceRow{"saturated", "1",
               "1: more requests arrive than are ever served, so that times describe the length of the traffic",
               Sense::minimize, Bounded::unknown, [](ServiceSummary const& s) { return s.saturated ? 1.0 : 0.0; }},
};

Estimate within(ServiceRow const& row, double value, ServiceSummary const* alone) {
    if (row.bounded == Bounded::unknown || alone == nullptr) return Estimate::unbounded(value);
    double const best = row.get(*alone);
    bool const divides_by_zero = row.bounded == Bounded::rate && !(alone->makespan > 0.0);
    if (value != value || best != best || divides_by_zero) return Estimate::unbounded(value);
    auto const kinds = row.better == Sense::minimize ? sim::BoundKinds{Bound::proved, Bound::none}
                                                     : sim::BoundKinds{Bound::none, Bound::proved};
    return {value, std::min(value, best), std::max(value, best), kinds};
}

}  // namespace

MetricList service_metrics() {
    MetricList list;
    for (auto const& row : rows)
        list.push_back({std::string(row.name), std::string(row.unit), std::string(row.meaning), row.better});
    return list;
}

bool adds_up_over_copies(std::string_view metric) {
    static constexpr std::array<std::string_view, 6> names{"area",       "memory_area", "silicon",
                                                           "idle_power", "cost",        "embodied_carbon"};
    return std::ranges::find(names, metric) != names.end();
}

bool applies_to_services(std::string_view metric) {
    return adds_up_over_copies(metric) || metric == "precision" || metric == power_of_service ||
           metric == cost_of_service;
}

bool applies_by_schedule(std::string_view metric) {
    return metric == "energy_per_good_token" || metric == "carbon_per_good_token" || metric == cost_of_service ||
           metric == "max_rate" || metric == "sustained_rate";
}

Metrics metrics_of(ServiceSummary const& summary, OtherFigures const& others) {
    auto const set_apart = [&](std::string_view name) {
        if (name == "carbon_per_good_token") return others.carbon_per_good_token;
        if (!others.max_rate) return none;
        return name == "max_rate" ? others.max_rate->rate : others.max_rate->served;
    };
    Metrics values;
    for (auto const& row : rows) {
        double const value = row.get != nullptr ? row.get(summary) : set_apart(row.name);
        values.push_back(value != value ? does_not_apply() : Estimate::exact(value));
    }
    return values;
}

void set_intervals(Metrics& values, ServiceSummary const* alone) {
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = within(rows[i], values[i].value, alone);
}

void set_spread(Metrics& values, double factor) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double const value = values[i].value;
        if (rows[i].bounded == Bounded::unknown || rows[i].unit == "1" || !applies(values[i])) continue;
        values[i] = Estimate::within(value, value / factor, value * factor, {Bound::calibrated, Bound::calibrated});
    }
}

}  // namespace pimdse::models::service
