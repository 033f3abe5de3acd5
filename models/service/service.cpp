#include "models/service/service.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/economy/economy.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "models/service/service_metrics.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/serving/max_rate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pimdse::models::service {
namespace {

using sim::serving::GiveUp;
using sim::serving::Observer;
using sim::serving::RequestTimes;
using sim::serving::Schedule;
using sim::serving::SchedulerSettings;
using sim::serving::ServiceLoad;
using sim::serving::ServiceSummary;
using sim::serving::StepWork;

/// Requests of mean length: as many as a step of a machine that is built for them may have, else one for each part of a
/// batch that several devices divide.
std::vector<Value> with_mean_requests(Architecture const& architecture, Parameters const& parameters, Point point,
                                      Traffic const& traffic) {
    std::vector<Value> one(point.begin(), point.end());
    auto const count_of = [&](std::string_view name) {
        int const at = find_parameter(parameters, name);
        return at < 0 ? std::int64_t{1} : point[static_cast<std::size_t>(at)].as_integer();
    };
    auto const set = [&](std::string_view name, std::int64_t value) {
        if (int const at = find_parameter(parameters, name); at >= 0)
            one[static_cast<std::size_t>(at)] = Value::integer(value);
    };
    auto const parts = count_of("expert_parallel") * count_of("data_parallel") * count_of("micro_batches");
    auto const in_step = count_of("data_parallel") * count_of("scheduler.max_sequences");
    set("batch", architecture.built_for_batch ? sim::round_up(in_step, parts) : parts);
    set("input", traffic.mean_input);
    set("output", traffic.mean_output);
    return one;
}

std::variant<ServiceEngine, Infeasible> engine_of(Architecture const& architecture, Inputs const& inputs, Point point,
                                                  Fidelity fidelity) {
    if (architecture.engine == nullptr)
        return Infeasible{"traffic", fmt::format("the steps of {} are not modelled", architecture.name)};
    return architecture.engine(inputs, point, fidelity);
}

std::variant<SchedulerSettings, Infeasible> settings_for(Point point, ServiceEngine const& engine) {
    auto const settings = settings_of(point, engine);
    if (settings.blocks > settings.state_blocks) return settings;
    auto const state =
        engine.state_bytes > 0.0 ? fmt::format(" beside a state of {} B", engine.state_bytes) : std::string();
    return Infeasible{"cache", fmt::format("the weights leave no memory for a block of the cache of keys and values "
                                           "({} B are left, a block of {} tokens takes {} B{})",
                                           engine.cache_bytes, settings.block_tokens,
                                           engine.position_bytes * sim::as_double(settings.block_tokens), state)};
}

/// A machine with the settings of its pool or pools.
struct Pools {
    ServiceEngine engine;
    SchedulerSettings settings, of_decode;  ///< of_decode: only with a handover

    [[nodiscard]] ServiceEngine const& last() const { return engine.handover ? *engine.handover->to : engine; }
};

std::variant<Pools, Infeasible> pools_of(ServiceEngine engine, Point point, Traffic const& traffic) {
    if (traffic.load.concurrency > 0 && engine.handover)
        return Infeasible{"traffic",
                          "users of a closed loop wait for both machines of a pair: not modelled. Give "
                          "arrivals and a rate"};
    if (traffic.load.concurrency > 0 && traffic.load.concurrency < engine.copies)
        return Infeasible{"traffic", fmt::format("concurrency = {} leaves some of {} machines without users",
                                                 traffic.load.concurrency, engine.copies)};
    auto const settings = settings_for(point, engine);
    if (auto const* rule = std::get_if<Infeasible>(&settings)) return *rule;
    Pools pools{std::move(engine), std::get<SchedulerSettings>(settings), {}};
    if (!pools.engine.handover) return pools;
    auto const of_decode = settings_for(point, *pools.engine.handover->to);
    if (auto const* rule = std::get_if<Infeasible>(&of_decode)) return *rule;
    pools.of_decode = std::get<SchedulerSettings>(of_decode);
    return pools;
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

/// Sequences that go on leave over the link of their engine one after the other, in the order of their first tokens.
HandedOver handed_over(Handover const& handover, ServiceLoad const& load, Schedule const& prompts) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < load.requests.size(); ++i)
        if (!prompts.requests[i].rejected && load.requests[i].output > 1) order.push_back(i);
    auto const ready = [&](std::size_t i) { return prompts.requests[i].first_token; };
    std::ranges::stable_sort(order, {}, ready);
    std::vector<double> free(static_cast<std::size_t>(prompts.engines), 0.0);
    std::vector<std::pair<double, std::size_t>> arrivals;
    HandedOver all;
    for (auto const i : order) {
        auto& link = free[i % free.size()];
        link = std::max(link, ready(i)) + handover.seconds(load.requests[i].input);
        all.joules += handover.joules(load.requests[i].input);
        arrivals.emplace_back(link, i);
    }
    std::ranges::sort(arrivals);
    for (auto const& [arrival, i] : arrivals) {
        all.load.requests.push_back({arrival, load.requests[i].input, load.requests[i].output, true});
        all.numbers.push_back(i);
    }
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
    auto const moved = handed_over(*engine.handover, load, all);
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
    return {std::move(all), peak};
}

PoolsSchedule run(Pools const& pools, ServiceLoad const& load, GiveUp const* give_up, Observer const& observe = {}) {
    return pools.engine.handover ? run_both(pools, load, give_up, observe) : run_one(pools, load, give_up, observe);
}

/// Without a summary if the load was given up.
Served served_by(Pools const& pools, Traffic const& traffic, GiveUp const* give_up, Observer const& observe = {}) {
    auto found = run(pools, traffic.load, give_up, observe);
    Served served{pools.settings, std::move(found.schedule), {}};
    if (served.schedule.given_up) return served;
    constexpr double counted = 0.0;  // joules contain the idle time
    served.summary =
        sim::serving::summarise(traffic.load, served.settings, served.schedule, traffic.objectives, counted);
    served.summary.kv_peak = found.kv_peak;
    return served;
}

/// Bounds of the times of requests of which each is served alone by a machine whose steps take their lower bounds.
class AloneBounds {
  public:
    /// Empty where an engine states no bounds; a block of tokens has no first token of its own to bound.
    static std::optional<ServiceSummary> of(Traffic const& traffic, Served const& served, Pools const& pools) {
        auto const& last = pools.last();
        if (!pools.engine.bounds_requests || !last.bounds_requests || last.tokens_per_step > 1) return std::nullopt;
        return AloneBounds(traffic, pools).summary(served);
    }

  private:
    AloneBounds(Traffic const& traffic, Pools const& pools) : load_(traffic.load), traffic_(traffic), pools_(pools) {
        auto const& decodes = pools_.engine.handover ? pools_.of_decode : pools_.settings;
        std::int64_t longest = 0;
        for (auto const& request : load_.requests) longest = std::max(longest, request.input + request.output);
        auto const together = std::min(decodes.max_sequences, static_cast<std::int64_t>(load_.requests.size()));
        preempts_ =
            !decodes.reserves_output && together * sim::divide_up(longest, decodes.block_tokens) > decodes.blocks;
    }

    [[nodiscard]] static StepWork prompt_of(std::int64_t tokens) { return {{{tokens, 0}}, {}, 1}; }

    /// Every token after the first takes at least this: that at the shortest context, which is the first one unless
    /// layers begin anew later. A sequence that was preempted yields one when its prompt is computed again.
    [[nodiscard]] double min_token(sim::serving::ServiceRequest const& request) const {
        auto const& engine = pools_.last();
        auto const first = request.input + 1, last = request.input + request.output - 1;
        bool const anew = engine.chunk > 0 && (last - 1) / engine.chunk > (first - 1) / engine.chunk;
        double const decoded = engine.min_seconds({{}, {anew ? 1 : first}, 1});
        return preempts_ ? std::min(decoded, engine.min_seconds(prompt_of(first))) : decoded;
    }

    /// Relative to the arrival. `found` tells up to which time clocks have run, and so how far rounding moves
    /// differences of times.
    [[nodiscard]] RequestTimes times_of(sim::serving::ServiceRequest const& request, RequestTimes const& found) const {
        RequestTimes best;
        best.rejected = found.rejected;
        if (found.rejected) return best;
        double const rounding = 0x1p-50 * sim::as_double(request.output + 4) * found.last_token;
        auto const tokens = request.output - 1;
        double rest = tokens > 0 ? sim::as_double(tokens) * min_token(request) : 0.0;
        if (tokens > 0 && pools_.engine.handover) rest += pools_.engine.handover->seconds(request.input);
        best.first_token = std::max(0.0, pools_.engine.min_seconds(prompt_of(request.input)) - rounding);
        best.last_token = best.first_token + std::max(0.0, rest - rounding);
        return best;
    }

    /// Requests that arrive over time end after their arrival; a user of a closed loop has one after the other.
    [[nodiscard]] ServiceSummary summary(Served const& served) const {
        Schedule best;
        double sum = 0.0;
        for (std::size_t i = 0; i < load_.requests.size(); ++i) {
            auto const& times = best.requests.emplace_back(times_of(load_.requests[i], served.schedule.requests[i]));
            if (times.rejected) continue;
            bool const closed = load_.concurrency > 0;
            double const arrival = closed ? 0.0 : load_.requests[i].arrival - load_.requests.front().arrival;
            best.end = std::max(best.end, arrival + times.last_token);
            sum += times.last_token;
        }
        if (load_.concurrency > 0) best.end = std::max(best.end, sum / sim::as_double(load_.concurrency));
        return sim::serving::summarise(load_, served.settings, best, traffic_.objectives, 0.0);
    }

    ServiceLoad const& load_;
    Traffic const& traffic_;
    Pools const& pools_;
    bool preempts_ = false;  ///< whether the cache may be too small for all sequences of a step
};

/// Ends a schedule from within a step: its result cannot count any more.
struct Hopeless {};

/// Asked whenever the largest power has risen; throws Hopeless.
using Rises = std::function<void()>;

/// Watches the largest mean power of a step of an engine, in all its copies at once.
ServiceEngine watched(ServiceEngine engine, double& watts, Rises const& rises) {
    auto const copies = sim::as_double(engine.copies);
    auto const see = [&watts, &rises, copies](sim::serving::StepCost const& cost) {
        if (!(cost.seconds > 0.0) || !(copies * cost.joules / cost.seconds > watts)) return;
        watts = copies * cost.joules / cost.seconds;
        if (rises) rises();
    };
    auto const law = engine.law;
    engine.law.one = [law, see](StepWork const& work) {
        auto const cost = law.one(work);
        see(cost);
        return cost;
    };
    if (law.many)
        engine.law.many = [law, see](StepWork const& first, std::span<sim::serving::StepCost> costs) {
            law.many(first, costs);
            std::ranges::for_each(costs, see);
        };
    return engine;
}

/// What all engines of a pool draw between steps.
double idle_watts(ServiceEngine const& engine) { return sim::as_double(engine.copies) * engine.idle_power; }

/// The load served, and the largest power of all engines, each in its own hottest step. `see` is told whenever that has
/// risen much, and may throw.
Served served_and_watched(Pools pools, Traffic const& traffic, GiveUp const* give_up, double& watts,
                          std::function<void(double)> const& see) {
    double first = idle_watts(pools.engine), second = 0.0;
    Rises rises;
    if (see)
        rises = [&, seen = 0.0]() mutable {
            if (100 * (first + second) <= 101 * seen) return;  // 1 %
            seen = first + second;
            see(seen);
        };
    if (auto const& handover = pools.engine.handover) {
        second = idle_watts(*handover->to);
        pools.engine.handover->to = std::make_shared<ServiceEngine const>(watched(*handover->to, second, rises));
    }
    pools.engine = watched(std::move(pools.engine), first, rises);
    auto served = served_by(pools, traffic, give_up);
    watts = first + second;
    return served;
}

/// The metrics of one batch do not apply, except those that a service has, too. `exact`: at the finest fidelity.
void set_batch_metrics(Metrics& metrics, MetricList const& table, Served const& served, double watts,
                       economy::Economy const& economy, bool exact) {
    auto const value = [&](std::string_view name) {
        int const at = find_metric(table, name);
        return at < 0 ? does_not_apply() : metrics[static_cast<std::size_t>(at)];
    };
    auto const& s = served.summary;
    double const tokens = s.energy_per_good_token ? s.energy / *s.energy_per_good_token : 0.0;
    auto cost = does_not_apply();
    if (tokens > 0.0)
        cost = economy.per_million_tokens(
            value("cost"), {s.makespan, s.energy, value("idle_power"), tokens / s.makespan, *s.energy_per_good_token});
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (!applies_to_services(table[i].name)) metrics[i] = does_not_apply();
        if (table[i].name == power_of_service) metrics[i] = watts;
        if (table[i].name == cost_of_service) metrics[i] = cost;
        bool const rests_on_steps = table[i].name == power_of_service || table[i].name == cost_of_service;
        if (rests_on_steps && !exact && applies(metrics[i])) metrics[i] = Estimate::unbounded(metrics[i].value);
    }
}

/// Where limits are required: when it is sure that too few requests meet them.
std::optional<GiveUp> give_up_of(Traffic const& traffic) {
    if (!traffic.required) return std::nullopt;
    auto const requests = sim::as_double(static_cast<std::int64_t>(traffic.load.requests.size()));
    constexpr double rounding = 0x1p-40;
    return GiveUp{traffic.objectives, sim::whole_part(std::floor(requests * (1.0 - traffic.share) * (1.0 + rounding)))};
}

/// No more good tokens per second than all tokens until the last request arrives that must meet the limits; without
/// required limits, and where requests arrive one after the other, any number.
double largest_good_rate(Traffic const& traffic) {
    constexpr double any = std::numeric_limits<double>::infinity();
    auto const give_up = give_up_of(traffic);
    auto const& requests = traffic.load.requests;
    auto const count = static_cast<std::int64_t>(requests.size());
    if (!give_up || traffic.load.concurrency > 0 || give_up->max_bad >= count) return any;
    auto const last = static_cast<std::size_t>(count - 1 - give_up->max_bad);
    double const seconds = requests[last].arrival - requests.front().arrival;
    double tokens = 0.0;
    for (auto const& request : requests) tokens += sim::as_double(request.output);
    return seconds > 0.0 ? tokens / seconds : any;
}

/// A metric of which only this is known.
Estimate at_least(double lower) {
    constexpr double any = std::numeric_limits<double>::infinity();
    return Estimate::within(lower, lower, any, {sim::Bound::proved, sim::Bound::none});
}

/// Metrics of a batch as far as they are those of the service before it ends.
Metrics known_so_far(Metrics metrics, MetricList const& table, Traffic const& traffic, double watts,
                     economy::Economy const& economy) {
    auto const value = [&](std::string_view name) {
        int const at = find_metric(table, name);
        return at < 0 ? does_not_apply() : metrics[static_cast<std::size_t>(at)];
    };
    auto const cost =
        economy.per_million_tokens(value("cost"), {0.0, 0.0, value("idle_power"), largest_good_rate(traffic), 0.0});
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (!applies_to_services(table[i].name)) metrics[i] = does_not_apply();
        if (table[i].name == power_of_service) metrics[i] = at_least(watts);
        if (table[i].name == cost_of_service) metrics[i] = applies(cost) ? at_least(cost.value) : does_not_apply();
    }
    metrics.resize(metrics.size() + service_metrics().size(), does_not_apply());
    return metrics;
}

/// A machine with the metrics of a batch of mean requests.
struct Prepared {
    Metrics metrics;
    Pools pools;
};

std::variant<Prepared, Outcome> prepared(Architecture const& architecture, Inputs const& inputs, Point point,
                                         Fidelity fidelity, Traffic const& traffic) {
    auto const one = with_mean_requests(architecture, inputs.parameters, point, traffic);
    auto outcome = architecture.evaluate(inputs, one, architecture.fidelities.front());
    if (!std::holds_alternative<Metrics>(outcome)) return outcome;
    auto engine = engine_of(architecture, inputs, one, fidelity);
    if (auto const* rule = std::get_if<Infeasible>(&engine)) return Outcome(*rule);
    auto pools = pools_of(std::get<ServiceEngine>(std::move(engine)), point, traffic);
    if (auto const* rule = std::get_if<Infeasible>(&pools)) return Outcome(*rule);
    return Prepared{std::get<Metrics>(std::move(outcome)), std::get<Pools>(std::move(pools))};
}

Metrics known_at_first(Prepared const& machine, MetricList const& table, Inputs const& inputs, Traffic const& traffic) {
    auto const& engine = machine.pools.engine;
    double const watts = idle_watts(engine) + (engine.handover ? idle_watts(*engine.handover->to) : 0.0);
    return known_so_far(machine.metrics, table, traffic, watts, economy::Economy::of(inputs.options));
}

/// The share of requests that may meet the limits, as far as the load was served.
double largest_good_share(Served const& served, Traffic const& traffic, GiveUp const& give_up) {
    auto const requests = sim::as_double(static_cast<std::int64_t>(traffic.load.requests.size()));
    return served.schedule.given_up ? 1.0 - sim::as_double(give_up.max_bad + 1) / requests : served.summary.good_share;
}

Infeasible misses_limits(Traffic const& traffic, double good) {
    constexpr double percent = 100;
    return {"slo", fmt::format("at most {:.4g} % of the requests meet the limits of [scenario.slo], and {:.4g} % must",
                               percent * good, percent * traffic.share)};
}

}  // namespace

std::variant<ServiceEngine, Infeasible> engine_for(Architecture const& architecture, Inputs const& inputs, Point point,
                                                   Fidelity fidelity, Traffic const& traffic) {
    return engine_of(architecture, inputs, with_mean_requests(architecture, inputs.parameters, point, traffic),
                     fidelity);
}

std::variant<Served, Infeasible> serve(Architecture const& architecture, Inputs const& inputs, Point point,
                                       Fidelity fidelity, Traffic const& traffic,
                                       sim::serving::Observer const& observe) {
    auto engine = engine_for(architecture, inputs, point, fidelity, traffic);
    if (auto const* rule = std::get_if<Infeasible>(&engine)) return *rule;
    auto const pools = pools_of(std::get<ServiceEngine>(std::move(engine)), point, traffic);
    if (auto const* rule = std::get_if<Infeasible>(&pools)) return *rule;
    return served_by(std::get<Pools>(pools), traffic, nullptr, observe);
}

Outcome known_before_serving(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity,
                             Traffic const& traffic) {
    auto const read = prepared(architecture, inputs, point, fidelity, traffic);
    if (auto const* outcome = std::get_if<Outcome>(&read)) return *outcome;
    return known_at_first(std::get<Prepared>(read), architecture.metrics(), inputs, traffic);
}

Outcome evaluate_service(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity,
                         Traffic const& traffic, Refusal const& refusal) {
    auto read = prepared(architecture, inputs, point, fidelity, traffic);
    if (auto const* outcome = std::get_if<Outcome>(&read)) return *outcome;
    auto& machine = std::get<Prepared>(read);
    auto const& pools = machine.pools;
    auto const table = architecture.metrics();
    auto const give_up = give_up_of(traffic);
    std::optional<Infeasible> refused;
    std::function<void(double)> see;
    if (give_up && refusal) {
        auto known = known_at_first(machine, table, inputs, traffic);
        if (auto at_first = refusal(known)) return *std::move(at_first);
        int const power = find_metric(table, power_of_service);
        if (power >= 0)
            see = [&, power, known = std::move(known)](double watts) mutable {
                known[static_cast<std::size_t>(power)] = at_least(watts);
                refused = refusal(known);
                if (refused) throw Hopeless{};
            };
    }
    bool const finest = fidelity == architecture.fidelities.back();
    double watts = 0.0;
    Served served;
    try {
        served = served_and_watched(pools, traffic, give_up ? &*give_up : nullptr, watts, see);
    } catch (Hopeless const&) {
        return *std::move(refused);
    }
    if (give_up) {
        double const good = largest_good_share(served, traffic, *give_up);
        if (good < traffic.share) return misses_limits(traffic, good);
    }
    auto& metrics = machine.metrics;
    set_batch_metrics(metrics, table, served, watts, economy::Economy::of(inputs.options), finest);
    auto const at = [&](ServiceLoad const& load, GiveUp const* until) { return run(pools, load, until).schedule; };
    auto values = metrics_of(
        served.summary,
        traffic.required ? std::nullopt : sim::serving::max_rate(traffic.load, at, traffic.objectives, traffic.share));
    if (!finest) {
        auto const alone = AloneBounds::of(traffic, served, pools);
        set_intervals(values, alone ? &*alone : nullptr);
    }
    metrics.insert(metrics.end(), values.begin(), values.end());
    return std::move(metrics);
}

}  // namespace pimdse::models::service
