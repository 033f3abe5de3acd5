#include "models/service/service.hpp"

#include "models/contract/architecture.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/economy/economy.hpp"
#include "models/service/pools.hpp"
#include "models/service/service_metrics.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

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
using sim::serving::RequestTimes;
using sim::serving::Schedule;
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
        auto most = sim::serving::blocks_for(decodes, longest);
        // Blocks of a prefix may stay while a sequence uses it, and it has its own ones.
        if (auto const& unit = decodes.prefix_units; unit.tokens > 0) most += longest / unit.tokens * unit.blocks;
        preempts_ = !decodes.reserves_output && together * most > decodes.blocks;
    }

    /// Whether it may find any part of its prompt in the cache, so that nothing is known of the time of its prompt.
    [[nodiscard]] bool may_reuse(ServiceRequest const& request) const {
        return pools_.settings.prefix_units.tokens > 0 && request.path != ServiceRequest::none;
    }

    [[nodiscard]] static StepWork prompt_of(std::int64_t tokens) { return {{{tokens, 0}}, {}, 1}; }

    /// Every token after the first takes at least this: that at the shortest context, which is the first one unless
    /// layers begin anew later. A sequence that was preempted yields one when its prompt is computed again.
    [[nodiscard]] double min_token(ServiceRequest const& request) const {
        auto const& engine = pools_.last();
        auto const first = request.input + 1, last = request.input + request.output - 1;
        bool const anew = engine.chunk > 0 && (last - 1) / engine.chunk > (first - 1) / engine.chunk;
        double const decoded = engine.min_seconds({{}, {anew ? 1 : first}, 1});
        if (!preempts_) return decoded;
        bool const again = may_reuse(request) && !pools_.engine.handover;
        return again ? 0.0 : std::min(decoded, engine.min_seconds(prompt_of(first)));
    }

    /// Relative to the arrival. `found` tells up to which time clocks have run, and so how far rounding moves
    /// differences of times.
    [[nodiscard]] RequestTimes times_of(ServiceRequest const& request, RequestTimes const& found) const {
        RequestTimes best;
        best.rejected = found.rejected;
        if (found.rejected) return best;
        double const rounding = 0x1p-50 * sim::as_double(request.output + 4) * found.last_token;
        auto const tokens = request.output - 1;
        double rest = tokens > 0 ? sim::as_double(tokens) * min_token(request) : 0.0;
        if (tokens > 0 && pools_.engine.handover) rest += pools_.engine.handover->seconds(request.input);
        if (!may_reuse(request))
            best.first_token = std::max(0.0, pools_.engine.min_seconds(prompt_of(request.input)) - rounding);
        best.last_token = best.first_token + std::max(0.0, rest - rounding);
        return best;
    }

    /// Requests that arrive over time end after their arrival; a user of a closed loop has one after the other, unless
    /// several continue the same one.
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
        if (load_.concurrency > 0 && !sim::serving::has_sessions(load_))
            best.end = std::max(best.end, sum / sim::as_double(load_.concurrency));
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

/// No more good tokens per second than all tokens until the last request arrives that must meet the limits; without
/// required limits, and where requests arrive one after the other, any number.
double largest_good_rate(Traffic const& traffic) {
    constexpr double any = std::numeric_limits<double>::infinity();
    auto const give_up = give_up_of(traffic);
    auto const& requests = traffic.load.requests;
    auto const count = static_cast<std::int64_t>(requests.size());
    if (!give_up || traffic.load.concurrency > 0 || give_up->max_bad >= count) return any;
    double tokens = 0.0;
    std::vector<double> arrivals;  // those that continue a request arrive later than they say
    for (auto const& request : requests) {
        tokens += sim::as_double(request.output);
        arrivals.push_back(request.arrival);
    }
    auto const last = arrivals.begin() + (count - 1 - give_up->max_bad);
    std::ranges::nth_element(arrivals, last);
    double const seconds = *last - requests.front().arrival;
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

Metrics known_at_first(ServingMachine const& machine, MetricList const& table, Inputs const& inputs,
                       Traffic const& traffic) {
    auto const& engine = machine.pools.engine;
    double const watts = idle_watts(engine) + (engine.handover ? idle_watts(*engine.handover->to) : 0.0);
    return known_so_far(machine.metrics, table, traffic, watts, economy::Economy::of(inputs.options));
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

Outcome known_before_serving(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity,
                             Traffic const& traffic) {
    auto const made = machine_for(architecture, inputs, point, fidelity, traffic);
    if (auto const* outcome = std::get_if<Outcome>(&made)) return *outcome;
    return known_at_first(std::get<ServingMachine>(made), architecture.metrics(), inputs, traffic);
}

Outcome evaluate_service(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity,
                         Traffic const& traffic, Refusal const& refusal) {
    auto made = machine_for(architecture, inputs, point, fidelity, traffic);
    if (auto const* outcome = std::get_if<Outcome>(&made)) return *outcome;
    auto& machine = std::get<ServingMachine>(made);
    auto& [pools, metrics] = machine;
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
    if (give_up)
        if (auto rule = missed_limits(served, traffic, *give_up)) return *std::move(rule);
    OtherFigures others;
    others.carbon_per_good_token =
        set_batch_metrics(metrics, table, served, watts, economy::Economy::of(inputs.options), finest);
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
