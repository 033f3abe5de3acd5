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

std::vector<TurnTtft> ttft_of_turns(ServiceLoad const& load, Schedule const& schedule, std::size_t from) {
    std::vector<std::vector<double>> values;
    auto const turns = turns_of(load);
    for (auto i = from; i < turns.size(); ++i) {
        auto const& times = schedule.requests[i];
        if (times.rejected) continue;
        if (values.size() <= turns[i]) values.resize(turns[i] + 1);
        values[turns[i]].push_back(times.first_token - times.arrival);
    }
    std::vector<TurnTtft> all;
    for (auto& list : values) {
        auto& turn = all.emplace_back();
        if (list.empty()) continue;
        std::ranges::sort(list);
        turn.requests = static_cast<std::int64_t>(list.size());
        turn.mean = std::accumulate(list.begin(), list.end(), 0.0) / as_double(turn.requests);
        turn.p99 = nearest_rank(list, 99);
    }
    return all;
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

RequestFigures figures_of(ServiceLoad const& load, Schedule const& schedule, ServiceObjectives const& objectives) {
    expects(load.requests.size() == schedule.requests.size(), "a schedule has the requests of its load");
    RequestFigures figures;
    std::int64_t in_time = 0, fast = 0;
    auto const warm_up = warm_up_of(load);
    for (auto i = static_cast<std::size_t>(warm_up); i < load.requests.size(); ++i) {
        auto const& times = schedule.requests[i];
        auto const output = load.requests[i].output;
        if (times.rejected) continue;
        figures.ttft.push_back(times.first_token - times.arrival);
        figures.e2e.push_back(times.last_token - times.arrival);
        figures.queue.push_back(times.scheduled - times.arrival);
        in_time += figures.ttft.back() <= objectives.ttft ? 1 : 0;
        if (output > 1) figures.tpot.push_back((times.last_token - times.first_token) / as_double(output - 1));
        fast += output == 1 || figures.tpot.back() <= objectives.tpot ? 1 : 0;
    }
    for (auto* list : {&figures.ttft, &figures.tpot, &figures.e2e, &figures.queue}) std::ranges::sort(*list);
    if (load.requests.empty()) return figures;
    if (has_sessions(load)) figures.turns = ttft_of_turns(load, schedule, static_cast<std::size_t>(warm_up));
    double const all = as_double(static_cast<std::int64_t>(load.requests.size()) - warm_up);
    figures.ttft_met = as_double(in_time) / all;
    figures.tpot_met = as_double(fast) / all;
    return figures;
}

}  // namespace pimdse::sim::serving
