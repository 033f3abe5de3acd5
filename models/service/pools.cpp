#include "models/service/pools.hpp"

#include "models/service/scheduler_parameters.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/serving/schedule_in_turn.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace pimdse::models::service {
namespace {

using sim::serving::GiveUp;
using sim::serving::Observer;
using sim::serving::Schedule;
using sim::serving::SchedulerSettings;
using sim::serving::ServiceLoad;
using sim::serving::ServiceRequest;

std::variant<SchedulerSettings, Infeasible> settings_for(Point point, ServiceEngine const& engine) {
    auto const settings = settings_of(point, engine);
    if (settings.prefix_units.tokens > 0 && settings.tokens_per_step > 1)
        return Infeasible{"prefix_cache",
                          "tokens that are denoised in blocks see all of their sequence, so that keys of a prompt are "
                          "of no use to another one. Leave scheduler.prefix_cache = \"off\""};
    if (settings.blocks >= sim::serving::blocks_for(settings, 1)) return settings;
    auto const bytes = [](double count) { return sim::print_quantity(count, "B"); };
    auto const state =
        engine.state_bytes > 0.0 ? fmt::format(" beside a state of {}", bytes(engine.state_bytes)) : std::string();
    return infeasible("cache",
                      "the cache of keys and values has no room for a block of {} tokens, {}{} (the weights leave {}, "
                      "and scheduler.memory_share and scheduler.cache_tokens allow {} blocks)",
                      settings.block_tokens, bytes(engine.position_bytes * sim::as_double(settings.block_tokens)),
                      state, bytes(engine.cache_bytes), settings.blocks);
}

/// The engines of so many equal machines. A balancer before either pool of a pair chooses among all of its engines.
ServiceEngine copied(ServiceEngine engine, std::int64_t copies) {
    engine.copies *= copies;
    if (copies > 1 && engine.handover)
        engine.handover->to = std::make_shared<ServiceEngine const>(copied(*engine.handover->to, copies));
    return engine;
}

/// What happened in one pool or both. `joules` contain the idle time.
struct PoolsSchedule {
    Schedule schedule;
    double kv_peak = 0.0;
};

double idle_joules(ServiceEngine const& engine, Schedule const& schedule, double makespan) {
    return engine.idle_power * std::max(0.0, sim::as_double(schedule.engines) * makespan - schedule.busy);
}

double share_of(Schedule const& schedule, SchedulerSettings const& settings) {
    return sim::as_double(schedule.peak_blocks) / sim::as_double(settings.blocks);
}

double makespan_of(Schedule const& schedule) { return std::max(0.0, schedule.end - schedule.requests.front().arrival); }

PoolsSchedule run_one(Pools const& pools, ServiceLoad const& load, GiveUp const* give_up, Observer const& observe) {
    auto const& engine = pools.engine;
    auto schedule = sim::serving::schedule_in_turn(load, pools.settings, engine.law, engine.copies, give_up, observe);
    schedule.joules += idle_joules(engine, schedule, makespan_of(schedule));
    double const peak = share_of(schedule, pools.settings);
    return {std::move(schedule), peak};
}

/// Requests of the second pool, in the order of their arrival there, and their numbers in the load.
struct HandedOver {
    ServiceLoad load;
    std::vector<std::size_t> numbers;
    double joules = 0.0;
};

/// Sequences that go on leave over the link of their engine one after the other, in the order of their first tokens. If
/// the second pool has the links, they arrive there with their first token, and their keys later.
HandedOver handed_over(Pools const& pools, ServiceLoad const& load, Schedule const& prompts) {
    auto const& handover = *pools.engine.handover;
    bool const moves_later = static_cast<bool>(pools.of_decode.prompt_link.seconds);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < load.requests.size(); ++i)
        if (!prompts.requests[i].rejected && load.requests[i].output > 1) order.push_back(i);
    auto const ready = [&](std::size_t i) { return prompts.requests[i].first_token; };
    std::ranges::stable_sort(order, {}, ready);
    std::vector<double> free(static_cast<std::size_t>(prompts.engines), 0.0);
    std::vector<std::pair<double, std::size_t>> arrivals;
    HandedOver all;
    for (auto const i : order) {
        if (moves_later) {
            arrivals.emplace_back(ready(i), i);
            continue;
        }
        auto& link = free[i % free.size()];
        link = std::max(link, ready(i)) + handover.seconds(load.requests[i].input);
        all.joules += handover.joules(load.requests[i].input);
        arrivals.emplace_back(link, i);
    }
    std::ranges::sort(arrivals);
    for (auto const& [arrival, i] : arrivals) {
        all.load.requests.push_back({arrival, load.requests[i].input, load.requests[i].output, true});
        all.load.requests.back().path = load.requests[i].path;
        all.numbers.push_back(i);
    }
    all.load.prefixes = load.prefixes;
    return all;
}

/// A prompt is computed by the first pool, which yields its first token.
ServiceLoad prompts_of(ServiceLoad load) {
    for (auto& request : load.requests) request.output = 1;
    return load;
}

/// Engines of the second pool are numbered after those of the first.
Observer after(Observer const& observe, std::int64_t engines) {
    if (!observe) return {};
    return [&observe, engines](sim::serving::EngineActivity did) {
        did.engine += engines;
        observe(did);
    };
}

PoolsSchedule run_both(Pools const& pools, ServiceLoad const& load, GiveUp const* give_up, Observer const& observe) {
    auto const& engine = pools.engine;
    auto const& other = *engine.handover->to;
    auto all =
        sim::serving::schedule_in_turn(prompts_of(load), pools.settings, engine.law, engine.copies, give_up, observe);
    if (all.given_up) return {std::move(all), 0.0};
    auto const moved = handed_over(pools, load, all);
    auto const decoded = sim::serving::schedule_in_turn(moved.load, pools.of_decode, other.law, other.copies, give_up,
                                                        after(observe, engine.copies));
    double const peak = std::max(share_of(all, pools.settings), share_of(decoded, pools.of_decode));
    for (std::size_t k = 0; k < moved.numbers.size(); ++k) {
        auto& times = all.requests[moved.numbers[k]];
        auto const& there = decoded.requests[k];
        times.last_token = there.last_token;
        times.preemptions += there.preemptions;
        if (there.rejected) times = {times.arrival, 0.0, 0.0, 0.0, 0, true};
    }
    all.given_up = decoded.given_up;
    all.end = std::max(all.end, decoded.end);
    double const makespan = makespan_of(all);
    all.joules +=
        decoded.joules + moved.joules + idle_joules(engine, all, makespan) + idle_joules(other, decoded, makespan);
    all.busy += decoded.busy;
    all.engines += decoded.engines;
    all.steps += decoded.steps;
    all.preemptions += decoded.preemptions;
    all.rejected += decoded.rejected;
    all.peak_sequences = std::max(all.peak_sequences, decoded.peak_sequences);
    all.peak_tokens = std::max(all.peak_tokens, decoded.peak_tokens);
    all.received += decoded.received;
    return {std::move(all), peak};
}

PoolsSchedule run(Pools const& pools, ServiceLoad const& load, GiveUp const* give_up, Observer const& observe) {
    return pools.engine.handover ? run_both(pools, load, give_up, observe) : run_one(pools, load, give_up, observe);
}

double ceiling_of(Pools const& pools, ServiceLoad const& load, double enough) {
    auto const& engine = pools.engine;
    if (!engine.handover) return sim::serving::ceiling(load, pools.settings, engine.law, engine.copies, enough);
    auto moved = load;
    std::erase_if(moved.requests, [&](auto const& request) { return request.output == 1 || pools.rejects(request); });
    auto const all = sim::as_double(static_cast<std::int64_t>(load.requests.size()));
    double const of_prompts =
        sim::serving::ceiling(prompts_of(load), pools.settings, engine.law, engine.copies, enough);
    if (moved.requests.empty()) return of_prompts;
    double on_links = 0.0;
    for (auto& request : moved.requests) {
        request.has_prompt = true;
        on_links += engine.handover->seconds(request.input);
    }
    auto const& other = *engine.handover->to;
    double const part = sim::as_double(static_cast<std::int64_t>(moved.requests.size())) / all;
    double const decoded = sim::serving::ceiling(moved, pools.of_decode, other.law, other.copies, enough * part) / part;
    if (pools.of_decode.prompt_link.seconds) return std::min(of_prompts, decoded);
    return std::min({of_prompts, decoded, sim::as_double(engine.copies) * all / on_links});
}

}  // namespace

bool Pools::rejects(ServiceRequest request) const {
    if (engine.handover && request.output > 1 && sim::serving::is_too_long(of_decode, request)) return true;
    if (engine.handover) request.output = 1;
    return sim::serving::is_too_long(settings, request);
}

std::variant<Pools, Infeasible> pools_of(ServiceEngine engine, Point point, Traffic const& traffic) {
    engine = copied(std::move(engine), copies_of(point));
    if (traffic.load.concurrency > 0 && engine.handover)
        return Infeasible{
            "traffic",
            "users of a closed loop wait for both machines of a pair: not modelled. Give arrivals and a rate"};
    if (engine.handover && sim::serving::has_sessions(traffic.load))
        return Infeasible{
            "traffic",
            "turns of sessions wait for both machines of a pair: not modelled. Give requests without sessions"};
    if (traffic.load.concurrency > 0 && traffic.load.concurrency < engine.copies)
        return infeasible("traffic", "concurrency = {} leaves some of {} machines without users",
                          traffic.load.concurrency, engine.copies);
    auto const settings = settings_for(point, engine);
    if (auto const* rule = std::get_if<Infeasible>(&settings)) return *rule;
    Pools pools{std::move(engine), std::get<SchedulerSettings>(settings), {}};
    if (!pools.engine.handover) return pools;
    auto const of_decode = settings_for(point, *pools.engine.handover->to);
    if (auto const* rule = std::get_if<Infeasible>(&of_decode)) return *rule;
    pools.of_decode = std::get<SchedulerSettings>(of_decode);
    pools.of_decode.tier = {};  // what the first pool has need not be kept a third time
    if (pools.engine.handover->to_keeps_prefixes && pools.of_decode.prefix_units.tokens > 0)
        pools.of_decode.prompt_link = {pools.engine.handover->seconds, pools.engine.handover->joules};
    else
        pools.of_decode.prefix_units = {};  // all keys of a sequence arrive over the link
    return pools;
}

Served scheduled(Pools const& pools, Traffic const& traffic, GiveUp const* give_up, Observer const& observe) {
    auto found = run(pools, traffic.load, give_up, observe);
    Served served{pools.settings, std::move(found.schedule), {}, {}};
    if (served.schedule.given_up) return served;
    constexpr double counted = 0.0;  // joules contain the idle time
    served.summary =
        sim::serving::summarise(traffic.load, served.settings, served.schedule, traffic.objectives, counted);
    served.summary.kv_peak = found.kv_peak;
    return served;
}

void find_ceiling(Served& served, Pools const& pools, Traffic const& traffic, GiveUp const* give_up) {
    bool const is_missed = give_up != nullptr && served.summary.good_share < traffic.share;
    if (is_missed || served.schedule.given_up || sim::serving::keeps_up(traffic.load, served.schedule)) return;
    auto const rate = *sim::serving::rate_of(traffic.load);
    served.ceiling = give_up != nullptr ? ceiling_up_to_its_rate(pools, traffic)
                                        : ceiling_of(pools, traffic.load, std::numeric_limits<double>::infinity());
    served.summary.saturated = rate > *served.ceiling;
}

Served served_by(Pools const& pools, Traffic const& traffic, GiveUp const* give_up, Observer const& observe) {
    auto served = scheduled(pools, traffic, give_up, observe);
    find_ceiling(served, pools, traffic, give_up);
    return served;
}

double ceiling_up_to_its_rate(Pools const& pools, Traffic const& traffic) {
    return ceiling_of(pools, traffic.load, *sim::serving::rate_of(traffic.load));
}

std::optional<sim::serving::LargestRate> largest_rate(Pools const& pools, Traffic const& traffic,
                                                      std::optional<double> ceiling) {
    if (!sim::serving::rate_of(traffic.load)) return std::nullopt;
    auto const at = [&](ServiceLoad const& load, GiveUp const* until) { return run(pools, load, until, {}).schedule; };
    return sim::serving::max_rate(
        traffic.load, at, traffic.objectives, traffic.share,
        ceiling ? *ceiling : ceiling_of(pools, traffic.load, std::numeric_limits<double>::infinity()));
}

}  // namespace pimdse::models::service
