#include "models/service/service_metrics.hpp"

#include "models/contract/common_metrics.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <array>
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
    double (*get)(ServiceSummary const&) = nullptr;  ///< NaN if it does not apply
    Bounded bounded = Bounded::unknown;
    Sense better = minimize;
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

constexpr std::array<ServiceRow, 31> rows{{
    {"goodput", "1/s", "requests per second that met the limits of [scenario.slo]", of<&ServiceSummary::goodput>,
     Bounded::rate, maximize},
    {"good_share", "1", "share of all requests that met the limits", of<&ServiceSummary::good_share>, Bounded::alone,
     maximize},
    // Three rows have no function: they do not follow from the schedule of this load.
    {"max_rate", "1/s",
     "highest rate of such requests, as many as that takes, at which the wanted share of them meets the limits and no "
     "queue grows (1 % wide)",
     nullptr, Bounded::unknown, maximize},
    {"sustained_rate", "1/s",
     "requests served per second if they arrive at max_rate: less than max_rate if they are too few to tell", nullptr,
     Bounded::unknown, maximize},
    {"request_rate", "1/s", "requests served per second", of<&ServiceSummary::request_rate>, Bounded::rate, maximize},
    {"output_rate", "1/s", "tokens generated per second", of<&ServiceSummary::output_rate>, Bounded::rate, maximize},
    {"ttft_mean", "s", "time from arrival to first token, mean", of<ttft, &Spread::mean>, Bounded::alone},
    {"ttft_p50", "s", "time from arrival to first token, median", of<ttft, &Spread::p50>, Bounded::alone},
    {"ttft_p90", "s", "time from arrival to first token, 90th percentile", of<ttft, &Spread::p90>, Bounded::alone},
    {"ttft_p99", "s", "time from arrival to first token, 99th percentile", of<ttft, &Spread::p99>, Bounded::alone},
    {"tpot_mean", "s", "time per token after the first, mean over requests", of<tpot, &Spread::mean>, Bounded::alone},
    {"tpot_p50", "s", "time per token after the first, median", of<tpot, &Spread::p50>, Bounded::alone},
    {"tpot_p90", "s", "time per token after the first, 90th percentile", of<tpot, &Spread::p90>, Bounded::alone},
    {"tpot_p99", "s", "time per token after the first, 99th percentile", of<tpot, &Spread::p99>, Bounded::alone},
    {"e2e_mean", "s", "time from arrival to last token, mean", of<e2e, &Spread::mean>, Bounded::alone},
    {"e2e_p50", "s", "time from arrival to last token, median", of<e2e, &Spread::p50>, Bounded::alone},
    {"e2e_p90", "s", "time from arrival to last token, 90th percentile", of<e2e, &Spread::p90>, Bounded::alone},
    {"e2e_p99", "s", "time from arrival to last token, 99th percentile", of<e2e, &Spread::p99>, Bounded::alone},
    {"queue_p99", "s", "time from arrival to the first step that serves a request, 99th percentile",
     of<&ServiceSummary::queue, &Spread::p99>, Bounded::alone},
    {"makespan", "s", "time from the first arrival to the last token", of<&ServiceSummary::makespan>, Bounded::alone},
    {"preemptions", "1", "sequences that lost their cache to others", of<&ServiceSummary::preemptions>},
    {"rejected", "1", "requests that exceed the cache or the context of the model", of<&ServiceSummary::rejected>},
    {"kv_peak", "1", "largest share of the cache of keys and values in use", of<&ServiceSummary::kv_peak>},
    {"reused_share", "1", "share of the positions of prompts that the cache had from earlier requests",
     of<&ServiceSummary::reused_share>, Bounded::unknown, maximize},
    {"evictions", "1", "blocks of beginnings of prompts that left the cache for others",
     of<&ServiceSummary::evictions>},
    {"fetched_share", "1", "share of the positions of prompts that came from the tier",
     of<&ServiceSummary::fetched_share>, Bounded::unknown, Sense::none},
    {"tier_bytes", "B", "keys and values that moved to the tier and from it", of<&ServiceSummary::tier_bytes>},
    {"energy_per_good_token", "J", "all energy, idle time included, over the tokens of requests within the limits",
     [](ServiceSummary const& s) { return s.energy_per_good_token.value_or(none); }},
    {"carbon_per_good_token", "kg",
     "CO2 equivalents of this time, embodied_carbon and idle time included, over the tokens of requests within the "
     "limits",
     nullptr},
    {"mean_power", "W", "mean power from the first arrival to the last token", of<&ServiceSummary::mean_power>},
    {"saturated", "1", "1: more requests arrive than are ever served, so that times describe the length of the traffic",
     [](ServiceSummary const& s) { return s.saturated ? 1.0 : 0.0; }},
}};

Estimate within(ServiceRow const& row, double value, ServiceSummary const* alone) {
    if (row.bounded == Bounded::unknown || alone == nullptr) return Estimate::unbounded(value);
    double const best = row.get(*alone);
    bool const divides_by_zero = row.bounded == Bounded::rate && !(alone->makespan > 0.0);
    if (value != value || best != best || divides_by_zero) return Estimate::unbounded(value);
    auto const kinds = row.better == Sense::minimize ? sim::BoundKinds{Bound::proved, Bound::none}
                                                     : sim::BoundKinds{Bound::none, Bound::proved};
    return {value, std::min(value, best), std::max(value, best), kinds};
}

/// Whether a common metric of this name applies to a service of which all is known but what a token costs.
bool applies_to_known(std::string_view metric, Estimate const& cost) {
    auto const* common = find_common_metric(metric);
    return common != nullptr && applies(common->of(result_of_service(RequestResult::known_machine(), 1.0, 1.0, cost)));
}

}  // namespace

MetricList service_metrics() {
    MetricList list;
    for (auto const& row : rows)
        list.push_back({std::string(row.name), std::string(row.unit), std::string(row.meaning), row.better});
    return list;
}

RequestResult result_of_service(RequestResult const& machine, double copies, Estimate const& watts,
                                Estimate const& cost) {
    auto all = machine.machines(copies);
    all.peak_power = watts;
    all.cost_per_million_tokens = cost;
    all.own.assign(machine.own.size(), does_not_apply());
    return all;
}

bool applies_to_services(std::string_view metric) { return applies_to_known(metric, 1.0); }

bool applies_by_schedule(std::string_view metric) {
    static constexpr std::array<std::string_view, 4> own{"energy_per_good_token", "carbon_per_good_token", "max_rate",
                                                         "sustained_rate"};
    return std::ranges::find(own, metric) != own.end() ||
           (applies_to_services(metric) && !applies_to_known(metric, does_not_apply()));
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

void set_spread(Metrics& values, double factor, double arriving) {
    double const shortest = std::clamp(arriving, 1.0 / factor, 1.0);
    auto const served = std::ranges::find(rows, "request_rate", &ServiceRow::name) - rows.begin();
    double const max_served = values[static_cast<std::size_t>(served)].value / shortest;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double const value = values[i].value;
        if (!applies(values[i]) || rows[i].name == "rejected") continue;  // which follows from lengths alone
        double const lower = rows[i].name == "makespan" ? value * shortest : value / factor;
        double const upper = rows[i].bounded == Bounded::rate ? value / shortest : value * factor;
        if (rows[i].bounded == Bounded::unknown || rows[i].unit == "1")
            values[i] = Estimate::unbounded(value);
        else if (rows[i].name == "goodput")  // a little slower, none may be good, and all a little faster
            values[i] = Estimate::within(value, value, max_served, {Bound::none, Bound::calibrated});
        else
            values[i] = Estimate::within(value, lower, upper, Bound::calibrated);
    }
}

}  // namespace pimdse::models::service
