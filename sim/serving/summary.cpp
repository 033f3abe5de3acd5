#include "sim/serving/summary.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <numeric>

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

std::optional<Spread> spread_of(std::vector<double> const& sorted) {
    if (sorted.empty()) return std::nullopt;
    double const sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
    return Spread{sum / as_double(static_cast<std::int64_t>(sorted.size())), nearest_rank(sorted, 50),
                  nearest_rank(sorted, 90), nearest_rank(sorted, 99)};
}

/// Times of the requests after the warm-up that were served, in ascending order.
RequestFigures times_of(ServiceLoad const& load, Schedule const& schedule) {
    expects(load.requests.size() == schedule.requests.size(), "a schedule has the requests of its load");
    RequestFigures all;
    for (auto i = static_cast<std::size_t>(warm_up_of(load)); i < load.requests.size(); ++i) {
        auto const& times = schedule.requests[i];
        if (times.rejected) continue;
        all.ttft.push_back(ttft_of(times));
        if (auto const of_token = tpot_of(times, load.requests[i].output)) all.tpot.push_back(*of_token);
        all.e2e.push_back(times.last_token - times.arrival);
        all.queue.push_back(times.scheduled - times.arrival);
    }
    for (auto* list : {&all.ttft, &all.tpot, &all.e2e, &all.queue}) std::ranges::sort(*list);
    return all;
}

void add_rates(ServiceSummary& s, std::int64_t tokens) {
    if (!(s.makespan > 0.0)) return;
    s.goodput = as_double(s.good) / s.makespan;
    s.request_rate = as_double(s.served) / s.makespan;
    s.output_rate = as_double(tokens) / s.makespan;
    s.mean_power = s.energy / s.makespan;
}

std::vector<TurnTtft> ttft_of_turns(ServiceLoad const& load, Schedule const& schedule, std::size_t from) {
    std::vector<std::vector<double>> values;
    auto const turns = turns_of(load);
    for (auto i = from; i < turns.size(); ++i) {
        auto const& times = schedule.requests[i];
        if (times.rejected) continue;
        if (values.size() <= turns[i]) values.resize(turns[i] + 1);
        values[turns[i]].push_back(ttft_of(times));
    }
    std::vector<TurnTtft> all;
    for (auto& list : values) {
        std::ranges::sort(list);
        auto const spread = spread_of(list).value_or(Spread{});
        all.push_back({static_cast<std::int64_t>(list.size()), spread.mean, spread.p99});
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
    auto const times = times_of(load, schedule);
    ServiceSummary summary;
    summary.requests = static_cast<std::int64_t>(load.requests.size());
    if (load.requests.empty()) return summary;
    summary.warm_up = warm_up_of(load);
    std::int64_t tokens = 0, good_tokens = 0;
    for (std::size_t i = 0; i < load.requests.size(); ++i) {
        auto const output = load.requests[i].output;
        if (schedule.requests[i].rejected) continue;
        tokens += output;
        ++summary.served;
        if (!is_good(schedule.requests[i], output, objectives)) continue;
        ++summary.good;
        good_tokens += output;
    }
    summary.good_share = good_share(load, schedule, objectives);
    summary.rejected = schedule.rejected;
    summary.preemptions = schedule.preemptions;
    summary.makespan = summary.served > 0 ? schedule.end - schedule.requests.front().arrival : 0.0;
    double const idle = as_double(schedule.engines) * summary.makespan - schedule.busy;
    summary.energy = schedule.joules + idle_watts * std::max(0.0, idle);
    add_rates(summary, tokens);
    if (good_tokens > 0) summary.energy_per_good_token = summary.energy / as_double(good_tokens);
    summary.ttft = spread_of(times.ttft);
    summary.tpot = spread_of(times.tpot);
    summary.e2e = spread_of(times.e2e);
    summary.queue = spread_of(times.queue);
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
    auto figures = times_of(load, schedule);
    if (load.requests.empty()) return figures;
    auto const warm_up = warm_up_of(load);
    if (has_sessions(load)) figures.turns = ttft_of_turns(load, schedule, static_cast<std::size_t>(warm_up));
    double const all = as_double(static_cast<std::int64_t>(load.requests.size()) - warm_up);
    auto const within = [](std::vector<double> const& sorted, double limit) {
        return std::ranges::upper_bound(sorted, limit) - sorted.begin();
    };
    auto const of_one_token = std::ssize(figures.ttft) - std::ssize(figures.tpot);
    figures.ttft_met = as_double(within(figures.ttft, objectives.ttft)) / all;
    figures.tpot_met = as_double(of_one_token + within(figures.tpot, objectives.tpot)) / all;
    return figures;
}

}  // namespace pimdse::sim::serving
