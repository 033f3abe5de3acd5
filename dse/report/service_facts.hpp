#pragma once

#include "dse/report/page.hpp"
#include "models/service/service.hpp"
#include "models/service/traffic.hpp"
#include "sim/base/json.hpp"
#include "sim/serving/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// What a page shows of a space whose scenarios have traffic (docs/traffic.md): curves of a machine, each with few
/// numbers for any number of requests.
namespace pimdse::dse::report {

/// m = min(n, max) nearest-rank quantiles of n values, ascending: number i is the smallest value that at least
/// (i + 1) / m of the values do not exceed. The last one is the largest value.
[[nodiscard]] std::vector<double> quantiles_of(std::vector<double> values, std::size_t max);

/// Requests that wait for their first step, and those that had it and are not complete, over time. A sequence that was
/// preempted is among the latter.
struct Occupancy {
    double end = 0.0;  ///< s: last token of the load; 0 if nothing was served
    /// The largest numbers in equal parts of the time from 0 to `end`, and then the numbers at the end.
    std::vector<std::int64_t> waiting, running;
};
[[nodiscard]] Occupancy occupancy_of(sim::serving::Schedule const& schedule, std::size_t parts);

/// The same requests, scaled in time to this rate. Precondition: the load has a rate.
[[nodiscard]] sim::serving::ServiceLoad at_rate(sim::serving::ServiceLoad load, double rate);

/// What a machine does with a load at one rate.
struct AtRate {
    double rate = 0.0;     ///< requests per second that arrive
    double goodput = 0.0;  ///< requests per second that met the limits
    double good_share = 0.0;
};

/// Curves of a design in one scenario.
struct ServiceCurves {
    std::int64_t requests = 0, rejected = 0, preemptions = 0;
    bool saturated = false;          ///< as in sim::serving::ServiceSummary
    std::vector<double> ttft, tpot;  ///< s: quantiles after the warm-up; `tpot`: of requests with several tokens
    Occupancy occupancy;
    double max_rate = 0.0;      ///< as service_curves() was given it
    std::vector<AtRate> rates;  ///< ascending; empty if the load has no rate
};

/// What a machine does with traffic; nullopt if it cannot serve it.
using ServeTraffic = std::function<std::optional<models::service::Served>(models::service::Traffic const&)>;

/// `max_rate`: of the design, which is one of the rates; if it is not finite and positive, the rate of the load takes
/// its place. nullopt if the machine cannot serve the traffic.
[[nodiscard]] std::optional<ServiceCurves> service_curves(models::service::Traffic const& traffic, double max_rate,
                                                          ServeTraffic const& serve);

/// {"requests": 300, "rejected": 0, "preemptions": 0, "saturated": false, "ttft": [...], "tpot": [...], "end": 85.8,
/// "waiting": [...], "running": [...], "max_rate": 42.5, "rates": [[rate, goodput, good_share], ...]}, six digits of
/// each number.
[[nodiscard]] sim::Json curves_json(ServiceCurves const& curves);

[[nodiscard]] bool has_traffic(space::Space const& space);

/// Positions in the front of at most `max` of its designs: the best one of each objective, and the others evenly in
/// the order of the first objective.
[[nodiscard]] std::vector<std::size_t> chosen_members(store::ResultFile const& file, std::size_t max);

/// Serves the traffic with at most twelve designs on the front, at its fidelity. By id: a list of {"scenario":
/// "service",
/// ...} as curves_json() has it. About them: {"scenarios": [{"name", "text", "ttft", "tpot", "share", "rate",
/// "requests"}, ...], "of_batches": names of parameters that no scenario reads, "chosen": number of designs,
/// "seconds"}. Limits that are not set and rates that do not exist are null. Precondition: the space has traffic.
[[nodiscard]] DesignFacts service_facts(store::ResultFile const& file, space::Space const& space,
                                        DesignLimits const& limits);

}  // namespace pimdse::dse::report
