#include "sim/serving/summary.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pimdse::sim::serving {
namespace {

double ttft_of(RequestTimes const& times) { return times.first_token - times.arrival; }

std::optional<double> tpot_of(RequestTimes const& times, std::int64_t output) {
    if (output == 1) return std::nullopt;
    return (times.last_token - times.first_token) / as_double(output - 1);
}

bool is_good(RequestTimes const& times, std::int64_t output, ServiceObjectives const& objectives) {
    return !times.rejected && ttft_of(times) <= objectives.ttft &&
           tpot_of(times, output).value_or(0.0) <= objectives.tpot;
}

std::optional<Spread> spread_of(std::vector<double> values) {
    if (values.empty()) return std::nullopt;
    std::ranges::sort(values);
    double const sum = std::accumulate(values.begin(), values.end(), 0.0);
    return Spread{sum / as_double(static_cast<std::int64_t>(values.size())), nearest_rank(values, 50),
                  nearest_rank(values, 90), nearest_rank(values, 99)};
}

/// Values of the requests that were served.
struct Collected {
    std::vector<double> ttft, tpot, e2e, queue;
    std::int64_t tokens = 0, good_tokens = 0;

    void add(RequestTimes const& times, std::int64_t output) {
        ttft.push_back(ttft_of(times));
        if (auto const of_token = tpot_of(times, output)) tpot.push_back(*of_token);
        e2e.push_back(times.last_token - times.arrival);
        queue.push_back(times.scheduled - times.arrival);
    }
};

Collected collect(ServiceLoad const& load, Schedule const& schedule, ServiceObjectives const& objectives,
                  ServiceSummary& summary) {
    Collected all;
    for (std::size_t i = 0; i < load.requests.size(); ++i) {
        auto const& times = schedule.requests[i];
        auto const output = load.requests[i].output;
        if (times.rejected) continue;
        if (static_cast<std::int64_t>(i) >= summary.warm_up) all.add(times, output);
        all.tokens += output;
        ++summary.served;
        if (!is_good(times, output, objectives)) continue;
        ++summary.good;
        all.good_tokens += output;
    }
    return all;
}

void add_rates(ServiceSummary& s, Collected const& collected) {
    if (!(s.makespan > 0.0)) return;
    s.goodput = as_double(s.good) / s.makespan;
    s.request_rate = as_double(s.served) / s.makespan;
    s.output_rate = as_double(collected.tokens) / s.makespan;
    s.mean_power = s.energy / s.makespan;
}

}  // namespace

double nearest_rank(std::span<double const> sorted, std::int64_t percent) {
    expects(!sorted.empty() && percent >= 1 && percent <= 100, "a percentile is one of some values");
    auto const rank = divide_up(percent * static_cast<std::int64_t>(sorted.size()), 100);
    return sorted[static_cast<std::size_t>(rank - 1)];
}

std::int64_t warm_up_of(ServiceLoad const& load) {
    return 2 * load.concurrency <= static_cast<std::int64_t>(load.requests.size()) ? load.concurrency : 0;
}

double good_share(ServiceLoad const& load, Schedule const& schedule, ServiceObjectives const& objectives) {
    auto const warm_up = warm_up_of(load);
    std::int64_t good = 0;
    for (auto i = static_cast<std::size_t>(warm_up); i < load.requests.size(); ++i)
        if (is_good(schedule.requests[i], load.requests[i].output, objectives)) ++good;
    return as_double(good) / as_double(static_cast<std::int64_t>(load.requests.size()) - warm_up);
}

ServiceSummary summarise(ServiceLoad const& load, SchedulerSettings const& settings, Schedule const& schedule,
                         ServiceObjectives const& objectives, double idle_watts) {
    expects(load.requests.size() == schedule.requests.size(), "a schedule has the requests of its load");
    ServiceSummary summary;
    summary.requests = static_cast<std::int64_t>(load.requests.size());
    if (load.requests.empty()) return summary;
    summary.warm_up = warm_up_of(load);
    auto collected = collect(load, schedule, objectives, summary);
    summary.good_share = good_share(load, schedule, objectives);
    summary.rejected = schedule.rejected;
    summary.preemptions = schedule.preemptions;
    summary.makespan = summary.served > 0 ? schedule.end - schedule.requests.front().arrival : 0.0;
    double const idle = as_double(schedule.engines) * summary.makespan - schedule.busy;
    summary.energy = schedule.joules + idle_watts * std::max(0.0, idle);
    add_rates(summary, collected);
    if (collected.good_tokens > 0) summary.energy_per_good_token = summary.energy / as_double(collected.good_tokens);
    summary.ttft = spread_of(std::move(collected.ttft));
    summary.tpot = spread_of(std::move(collected.tpot));
    summary.e2e = spread_of(std::move(collected.e2e));
    summary.queue = spread_of(std::move(collected.queue));
    summary.evictions = schedule.evictions;
    summary.tier_bytes = as_double(schedule.moved_units) * settings.tier.unit_bytes;
    auto const positions = schedule.computed + schedule.reused + schedule.fetched;
    if (positions > 0) {
        summary.reused_share = as_double(schedule.reused) / as_double(positions);
        summary.fetched_share = as_double(schedule.fetched) / as_double(positions);
    }
    summary.kv_peak = as_double(schedule.peak_blocks) / as_double(settings.blocks);
    return summary;
}

}  // namespace pimdse::sim::serving
