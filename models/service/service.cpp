#include "models/service/service.hpp"

#include "models/contract/architecture.hpp"
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
using sim::serving::ServiceRequest;
using sim::serving::ServiceSummary;
using sim::serving::StepWork;

/// Tokens of prompts and outputs.
struct Lengths {
    std::int64_t input = 1, output = 1;
};

/// Requests of these lengths: as many as a step of a machine that is built for them may have, else one for each part of
/// a batch that several devices divide.
std::vector<Value> with_requests(Architecture const& architecture, Parameters const& parameters, Point point,
                                 Lengths const& lengths) {
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
    set("input", lengths.input);
    set("output", lengths.output);
    return one;
}

Lengths shortest_of(Traffic const& traffic) {
    auto const& requests = traffic.load.requests;
    return {std::ranges::min(requests, {}, &sim::serving::ServiceRequest::input).input,
            std::ranges::min(requests, {}, &sim::serving::ServiceRequest::output).output};
}

std::variant<ServiceEngine, Infeasible> engine_of(Architecture const& architecture, Inputs const& inputs, Point point,
                                                  Fidelity fidelity) {
    if (architecture.engine == nullptr)
        return Infeasible{"traffic", fmt::format("the steps of {} are not modelled", architecture.name)};
    return architecture.engine(inputs, point, fidelity);
}

std::variant<SchedulerSettings, Infeasible> settings_for(Point point, ServiceEngine const& engine) {
    auto const settings = settings_of(point, engine);
    if (settings.blocks >= sim::serving::blocks_for(settings, 1)) return settings;
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
    [[nodiscard]] bool rejects(ServiceRequest request) const {
        if (engine.handover && request.output > 1 && sim::serving::is_too_long(of_decode, request)) return true;
        if (engine.handover) request.output = 1;
        return sim::serving::is_too_long(settings, request);
    }
};

/// Mean lengths of the requests that are not rejected, rounded up; nullopt if all are.
std::optional<Lengths> mean_of(Traffic const& traffic, Pools const& pools) {
    double input = 0.0, output = 0.0, count = 0.0;
    for (auto const& request : traffic.load.requests) {
        if (pools.rejects(request)) continue;
        input += sim::as_double(request.input);
        output += sim::as_double(request.output);
        ++count;
    }
    if (count == 0.0) return std::nullopt;
    return Lengths{sim::whole_part(std::ceil(input / count)), sim::whole_part(std::ceil(output / count))};
}

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

/// Requests per second that the engines serve at most, and their links move.
double ceiling_of(Pools const& pools, ServiceLoad const& load) {
    auto const& engine = pools.engine;
    if (!engine.handover) return sim::serving::ceiling(load, pools.settings, engine.law, engine.copies);
    auto moved = load;
    std::erase_if(moved.requests, [&](auto const& request) { return request.output == 1 || pools.rejects(request); });
    auto const all = sim::as_double(static_cast<std::int64_t>(load.requests.size()));
    double const of_prompts = sim::serving::ceiling(prompts_of(load), pools.settings, engine.law, engine.copies);
    if (moved.requests.empty()) return of_prompts;
    double on_links = 0.0;
    for (auto& request : moved.requests) {
        request.has_prompt = true;
        on_links += engine.handover->seconds(request.input);
    }
    auto const& other = *engine.handover->to;
    double const part = sim::as_double(static_cast<std::int64_t>(moved.requests.size())) / all;
    double const decoded = sim::serving::ceiling(moved, pools.of_decode, other.law, other.copies) / part;
    return std::min({of_prompts, decoded, sim::as_double(engine.copies) * all / on_links});
}

/// Without a summary if the load was given up.
Served served_by(Pools const& pools, Traffic const& traffic, GiveUp const* give_up, Observer const& observe = {}) {
    auto found = run(pools, traffic.load, give_up, observe);
    Served served{pools.settings, std::move(found.schedule), {}, {}};
    if (served.schedule.given_up) return served;
    constexpr double counted = 0.0;  // joules contain the idle time
    served.summary =
        sim::serving::summarise(traffic.load, served.settings, served.schedule, traffic.objectives, counted);
    served.summary.kv_peak = found.kv_peak;
    if (!sim::serving::keeps_up(traffic.load, served.schedule)) {
        served.ceiling = ceiling_of(pools, traffic.load);
        served.summary.saturated = *sim::serving::rate_of(traffic.load) > *served.ceiling;
    }
    return served;
}

std::optional<sim::serving::LargestRate> largest_rate(Pools const& pools, Traffic const& traffic,
                                                      std::optional<double> ceiling) {
    if (!sim::serving::rate_of(traffic.load)) return std::nullopt;
    auto const at = [&](ServiceLoad const& load, GiveUp const* until) { return run(pools, load, until).schedule; };
    return sim::serving::max_rate(traffic.load, at, traffic.objectives, traffic.share,
                                  ceiling ? *ceiling : ceiling_of(pools, traffic.load));
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
        preempts_ = !decodes.reserves_output && together * sim::serving::blocks_for(decodes, longest) > decodes.blocks;
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

/// Watches the largest mean power of a step of an engine, in all its copies at once.
ServiceEngine watched(ServiceEngine engine, double& watts) {
    auto const copies = sim::as_double(engine.copies);
    auto const see = [&watts, copies](sim::serving::StepCost const& cost) {
        if (cost.seconds > 0.0) watts = std::max(watts, copies * cost.joules / cost.seconds);
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

/// The load served, and the largest power of all engines, each in its own hottest step.
Served served_and_watched(Pools pools, Traffic const& traffic, GiveUp const* give_up, double& watts) {
    double first = sim::as_double(pools.engine.copies) * pools.engine.idle_power, second = 0.0;
    if (auto const& handover = pools.engine.handover) {
        second = sim::as_double(handover->to->copies) * handover->to->idle_power;
        pools.engine.handover->to = std::make_shared<ServiceEngine const>(watched(*handover->to, second));
    }
    pools.engine = watched(std::move(pools.engine), first);
    auto served = served_by(pools, traffic, give_up);
    watts = first + second;
    return served;
}

/// The metrics of one batch do not apply, except those that a service has, too. `exact`: at the finest fidelity.
/// Returns kg of carbon of a good token, or NaN without one.
double set_batch_metrics(Metrics& metrics, MetricList const& table, Served const& served, double watts,
                         economy::Economy const& economy, bool exact) {
    auto const value = [&](std::string_view name) {
        int const at = find_metric(table, name);
        return at < 0 ? does_not_apply() : metrics[static_cast<std::size_t>(at)];
    };
    auto const& s = served.summary;
    double const tokens = s.energy_per_good_token ? s.energy / *s.energy_per_good_token : 0.0;
    auto cost = does_not_apply();
    double carbon = std::numeric_limits<double>::quiet_NaN();
    if (tokens > 0.0) {
        economy::RequestFigures const figures{s.makespan, s.energy, value("idle_power"), tokens / s.makespan,
                                              *s.energy_per_good_token};
        cost = economy.per_million_tokens(value("cost"), figures);
        carbon = economy.carbon(value("embodied_carbon"), figures).value / tokens;
    }
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (!applies_to_services(table[i].name)) metrics[i] = does_not_apply();
        if (table[i].name == power_of_service) metrics[i] = watts;
        if (table[i].name == cost_of_service) metrics[i] = cost;
        bool const rests_on_steps = table[i].name == power_of_service || table[i].name == cost_of_service;
        if (rests_on_steps && !exact && applies(metrics[i])) metrics[i] = Estimate::unbounded(metrics[i].value);
    }
    return carbon;
}

/// Where limits are required: when it is sure that too few requests meet them.
std::optional<GiveUp> give_up_of(Traffic const& traffic) {
    if (!traffic.required) return std::nullopt;
    auto const warm_up = sim::serving::warm_up_of(traffic.load);
    auto const requests = sim::as_double(static_cast<std::int64_t>(traffic.load.requests.size()) - warm_up);
    constexpr double rounding = 0x1p-40;
    auto const may_miss = sim::whole_part(std::floor(requests * (1.0 - traffic.share) * (1.0 + rounding)));
    return GiveUp{traffic.objectives, may_miss + warm_up};
}

/// Why a service does not meet limits that it must meet; nullopt if it does. A load that was given up has more bad
/// requests than may be, of which some may be of the warm-up.
std::optional<Infeasible> missed_limits(Served const& served, Traffic const& traffic, GiveUp const& give_up) {
    auto const warm_up = sim::serving::warm_up_of(traffic.load);
    auto const requests = sim::as_double(static_cast<std::int64_t>(traffic.load.requests.size()) - warm_up);
    double const good = served.schedule.given_up ? 1.0 - sim::as_double(give_up.max_bad + 1 - warm_up) / requests
                                                 : served.summary.good_share;
    constexpr double percent = 100;
    if (good < traffic.share)
        return Infeasible{
            "slo", fmt::format("at most {:.4g} % of the requests meet the limits of [scenario.slo], and {:.4g} % must",
                               percent * good, percent * traffic.share)};
    if (!served.summary.saturated) return std::nullopt;
    return Infeasible{"slo", fmt::format("requests arrive at {:.4g} 1/s, and at most {:.4g} 1/s are served: the limits "
                                         "of [scenario.slo] are met only as long as the queue is short",
                                         *sim::serving::rate_of(traffic.load), *served.ceiling)};
}

/// The engines that serve a traffic, and the outcome of the machine with one of its requests.
struct ServingMachine {
    Pools pools;
    Metrics metrics;
};

std::variant<Pools, Infeasible> pools_for(Architecture const& architecture, Inputs const& inputs, Point point,
                                          Fidelity fidelity, Traffic const& traffic, Lengths const& lengths) {
    auto engine =
        engine_of(architecture, inputs, with_requests(architecture, inputs.parameters, point, lengths), fidelity);
    if (auto const* rule = std::get_if<Infeasible>(&engine)) return *rule;
    return pools_of(std::get<ServiceEngine>(std::move(engine)), point, traffic);
}

/// The engines of a machine for requests of mean length; if these are too long for it, for the shortest.
std::variant<Pools, Infeasible> pools_for(Architecture const& architecture, Inputs const& inputs, Point point,
                                          Fidelity fidelity, Traffic const& traffic) {
    auto const of = [&](Lengths const& lengths) {
        return pools_for(architecture, inputs, point, fidelity, traffic, lengths);
    };
    auto found = of({traffic.mean_input, traffic.mean_output});
    if (std::holds_alternative<Pools>(found)) return found;
    return of(shortest_of(traffic));
}

/// The machine with one request of the mean length of those that are not rejected.
std::variant<ServingMachine, Outcome> machine_for(Architecture const& architecture, Inputs const& inputs, Point point,
                                                  Fidelity fidelity, Traffic const& traffic) {
    auto const evaluated = [&](Lengths const& lengths) {
        return architecture.evaluate(inputs, with_requests(architecture, inputs.parameters, point, lengths),
                                     architecture.fidelities.front());
    };
    auto found = pools_for(architecture, inputs, point, fidelity, traffic);
    auto* pools = std::get_if<Pools>(&found);
    auto const mean = pools == nullptr ? std::nullopt : mean_of(traffic, *pools);
    auto outcome = evaluated(mean.value_or(shortest_of(traffic)));
    if (!std::holds_alternative<Metrics>(outcome)) return outcome;
    if (pools == nullptr) return Outcome(std::get<Infeasible>(std::move(found)));
    if (!mean)
        return Outcome(Infeasible{"cache", fmt::format("every request exceeds the context of the model or the cache "
                                                       "of {} tokens",
                                                       sim::serving::longest_cached(pools->settings))});
    return ServingMachine{std::move(*pools), std::get<Metrics>(std::move(outcome))};
}

}  // namespace

std::variant<ServiceEngine, Infeasible> engine_for(Architecture const& architecture, Inputs const& inputs, Point point,
                                                   Fidelity fidelity, Traffic const& traffic) {
    auto found = pools_for(architecture, inputs, point, fidelity, traffic);
    if (auto const* rule = std::get_if<Infeasible>(&found)) return *rule;
    return std::get<Pools>(std::move(found)).engine;
}

std::variant<Served, Infeasible> serve(Architecture const& architecture, Inputs const& inputs, Point point,
                                       Fidelity fidelity, Traffic const& traffic,
                                       sim::serving::Observer const& observe) {
    auto const pools = pools_for(architecture, inputs, point, fidelity, traffic);
    if (auto const* rule = std::get_if<Infeasible>(&pools)) return *rule;
    return served_by(std::get<Pools>(pools), traffic, nullptr, observe);
}

Outcome evaluate_service(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity,
                         Traffic const& traffic) {
    auto made = machine_for(architecture, inputs, point, fidelity, traffic);
    if (auto const* outcome = std::get_if<Outcome>(&made)) return *outcome;
    auto& [pools, metrics] = std::get<ServingMachine>(made);
    bool const finest = fidelity == architecture.fidelities.back();
    double watts = 0.0;
    auto const give_up = give_up_of(traffic);
    auto const served = served_and_watched(pools, traffic, give_up ? &*give_up : nullptr, watts);
    if (give_up)
        if (auto rule = missed_limits(served, traffic, *give_up)) return *std::move(rule);
    OtherFigures others;
    others.carbon_per_good_token =
        set_batch_metrics(metrics, architecture.metrics(), served, watts, economy::Economy::of(inputs.options), finest);
    if (!traffic.required) others.max_rate = largest_rate(pools, traffic, served.ceiling);
    auto values = metrics_of(served.summary, others);
    if (!finest) {
        auto const alone = AloneBounds::of(traffic, served, pools);
        set_intervals(values, alone ? &*alone : nullptr);
    }
    metrics.insert(metrics.end(), values.begin(), values.end());
    return std::move(metrics);
}

std::optional<sim::serving::LargestRate> max_rate(Architecture const& architecture, Inputs const& inputs, Point point,
                                                  Fidelity fidelity, Traffic const& traffic) {
    auto const pools = pools_for(architecture, inputs, point, fidelity, traffic);
    return std::holds_alternative<Pools>(pools) ? largest_rate(std::get<Pools>(pools), traffic, {}) : std::nullopt;
}

}  // namespace pimdse::models::service
