#include "sim/serving/request_figures.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::sim::serving {

namespace {

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
