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

PoolsSchedule run_both(Pools const& pools, ServiceLoad const& load, GiveUp const* give_up, Observer const& observe) {
    auto const& engine = pools.engine;
    auto const& other = *engine.handover->to;
    auto found = sim::serving::schedule_handed_over(
        load, {pools.settings, engine.law, engine.copies}, {pools.of_decode, other.law, other.copies},
        {engine.handover->seconds, engine.handover->joules}, give_up, observe);
    auto& all = found.prompts;
    auto const& decoded = found.decoded;
    double const peak = std::max(share_of(all, pools.settings), share_of(decoded, pools.of_decode));
    all.end = std::max(all.end, decoded.end);
    double const makespan = makespan_of(all);
    all.joules +=
        decoded.joules + found.joules + idle_joules(engine, all, makespan) + idle_joules(other, decoded, makespan);
    all.busy += decoded.busy;
    all.engines += decoded.engines;
    all.steps += decoded.steps;
    all.preemptions += decoded.preemptions;
    all.peak_sequences = std::max(all.peak_sequences, decoded.peak_sequences);
    all.peak_tokens = std::max(all.peak_tokens, decoded.peak_tokens);
    all.received += decoded.received;
    return {std::move(all), peak};
}

PoolsSchedule run(Pools const& pools, ServiceLoad const& load, GiveUp const* give_up, Observer const& observe) {
    return pools.engine.handover ? run_both(pools, load, give_up, observe) : run_one(pools, load, give_up, observe);
}

/// Of sessions, if there are any.
double ceiling_of(Pools const& pools, ServiceLoad const& load, double enough) {
    auto const& engine = pools.engine;
    if (!engine.handover) return sim::serving::ceiling(load, pools.settings, engine.law, engine.copies, enough);
    auto moved = load;
    std::erase_if(moved.requests, [&](auto const& request) { return request.output == 1 || pools.rejects(request); });
    auto prompts = load;
    for (auto& request : prompts.requests) request.output = 1;
    double const of_prompts = sim::serving::ceiling(prompts, pools.settings, engine.law, engine.copies, enough);
    if (moved.requests.empty()) return of_prompts;
    double on_links = 0.0;
    for (auto& request : moved.requests) {
        request.has_prompt = true;
        request.parent = ServiceRequest::none;
        on_links += engine.handover->seconds(request.input);
    }
    auto const& other = *engine.handover->to;
    double const sessions = sim::as_double(sim::serving::sessions_in(load));
    double const part = sim::as_double(static_cast<std::int64_t>(moved.requests.size())) / sessions;
    double const decoded = sim::serving::ceiling(moved, pools.of_decode, other.law, other.copies, enough * part) / part;
    if (pools.of_decode.prompt_link.seconds) return std::min(of_prompts, decoded);
    return std::min({of_prompts, decoded, sim::as_double(engine.copies) * sessions / on_links});
}

}  // namespace

bool Pools::rejects(ServiceRequest request) const {
    if (engine.handover && request.output > 1 && sim::serving::is_too_long(of_decode, request)) return true;
    if (engine.handover) request.output = 1;
    return sim::serving::is_too_long(settings, request);
}

std::variant<Pools, Infeasible> pools_of(ServiceEngine engine, Point point, Traffic const& traffic) {
    engine = copied(std::move(engine), copies_of(point));
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
