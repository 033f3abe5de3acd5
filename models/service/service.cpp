#include "models/service/service.hpp"

#include "models/contract/architecture.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/validation.hpp"
#include "models/economy/economy.hpp"
#include "models/service/pools.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "models/service/served_figures.hpp"
#include "models/service/service_metrics.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <limits>
#include <memory>

namespace pimdse::models::service {
namespace {

constexpr std::string_view context_rule = "context";  // models/llm/generation.cpp

/// Tokens of prompts and outputs. Denoised ones count in whole blocks.
struct Lengths {
    std::int64_t input = 1, output = 1;
};

std::vector<Value> with_requests(Architecture const& architecture, Parameters const& parameters, Point point,
                                 Lengths const& lengths) {
    std::vector<Value> one(point.begin(), point.end());
    auto const count_of = [&](std::string_view name) {
        int const at = find_parameter(parameters, name);
        return at < 0 ? std::int64_t{1} : point[static_cast<std::size_t>(at)].as_integer();
    };
    int const generation = find_parameter(parameters, "generation");
    bool const denoises =
        generation >= 0 && parameters[static_cast<std::size_t>(generation)].choices.at(
                               point[static_cast<std::size_t>(generation)].as_choice()) == "diffusion";
    auto const set = [&](std::string_view name, std::int64_t value) {
        if (int const at = find_parameter(parameters, name); at >= 0)
            one[static_cast<std::size_t>(at)] = Value::integer(value);
    };
    auto const parts = count_of("expert_parallel") * count_of("data_parallel") * count_of("micro_batches");
    auto const in_step = count_of("data_parallel") * count_of("scheduler.max_sequences");
    set("batch", architecture.built_for_batch ? sim::round_up(in_step, parts) : parts);
    set("input", lengths.input);
    set("output", denoises ? sim::round_up(lengths.output, count_of("block_length")) : lengths.output);
    return one;
}

Lengths shortest_of(Traffic const& traffic) {
    auto const& requests = traffic.load.requests;
    return {std::ranges::min(requests, {}, &sim::serving::ServiceRequest::input).input,
            std::ranges::min(requests, {}, &sim::serving::ServiceRequest::output).output};
}

/// A machine of which designs differ in queues and copies only. Equal objects of `prepared` at one place are one,
/// because what is known of them keeps them.
struct MachineKey {
    void const* prepared = nullptr;
    Architecture const* architecture = nullptr;
    std::vector<Value> point;  ///< without the parameters of services, which come last
    Fidelity fidelity{};
    auto operator<=>(MachineKey const&) const = default;
};

template <class Found>
struct KnownOfMachine {
    Found found;
    std::shared_ptr<void const> prepared;
    [[nodiscard]] static constexpr std::size_t weight() { return 1; }
};

/// What `find` finds of a machine, whatever the queues and copies: once for all designs that differ in these. Engines
/// of closed forms know costs of steps that they were asked for, so that these are shared, too.
template <auto find>
auto of_machine(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity) {
    using Found = decltype(find(architecture, inputs, point, fidelity));
    constexpr std::size_t max_known = 1024;
    static sim::LruCache<MachineKey, KnownOfMachine<Found>> const lately{max_known};
    bool const known = inputs.prepared != nullptr && inputs.options.drawn.empty() && fidelity == Fidelity::analytic;
    if (!known) return find(architecture, inputs, point, fidelity);
    MachineKey key{inputs.prepared.get(), &architecture, {point.begin(), point.end()}, fidelity};
    if (int const first = find_parameter(inputs.parameters, copies_name); first >= 0)
        key.point.resize(static_cast<std::size_t>(first));
    auto const made = [](MachineKey const&, Architecture const& of, Inputs const& with, Point at, Fidelity level) {
        return std::make_shared<KnownOfMachine<Found> const>(
            KnownOfMachine<Found>{find(of, with, at, level), with.prepared});
    };
    return lately.get(key, made, architecture, inputs, point, fidelity)->found;
}

std::variant<ServiceEngine, Infeasible> engine_of(Architecture const& architecture, Inputs const& inputs, Point point,
                                                  Fidelity fidelity) {
    if (architecture.engine == nullptr)
        return infeasible("traffic", "the steps of {} are not modelled", architecture.name);
    return architecture.engine(inputs, point, fidelity);
}

std::variant<RequestResult, Infeasible> request_of(Architecture const& architecture, Inputs const& inputs, Point point,
                                                   Fidelity fidelity) {
    return architecture.request(inputs, point, fidelity, nullptr);
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

/// USD of a million tokens of requests that met the limits, and kg of carbon of one; NaN without any.
struct TokenCosts {
    Estimate usd = does_not_apply();
    double carbon = std::numeric_limits<double>::quiet_NaN();

    static TokenCosts of(RequestResult const& machines, sim::serving::ServiceSummary const& s,
                         economy::Economy const& economy) {
        double const tokens = s.energy_per_good_token ? s.energy / *s.energy_per_good_token : 0.0;
        if (!(tokens > 0.0)) return {};
        economy::RequestFigures const figures{s.makespan, s.energy, machines.idle_power, tokens / s.makespan,
                                              *s.energy_per_good_token};
        return {economy.per_million_tokens(machines.cost, figures),
                economy.carbon(machines.embodied_carbon, figures).value / tokens};
    }
};

/// The share of the makespan until the last request arrives; 0 where that depends on the machine.
double arriving_share(Traffic const& traffic, sim::serving::ServiceSummary const& s) {
    auto const& requests = traffic.load.requests;
    if (traffic.load.concurrency > 0 || s.rejected > 0 || !(s.makespan > 0.0)) return 0.0;
    auto const last = std::ranges::max(requests, {}, &sim::serving::ServiceRequest::arrival).arrival;
    return (last - requests.front().arrival) / s.makespan;
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

/// A metric of which only this is known; NaN: not even that.
Estimate at_least(double lower) {
    constexpr double any = std::numeric_limits<double>::infinity();
    if (std::isnan(lower)) return does_not_apply();
    return Estimate::within(lower, lower, any, {sim::Bound::proved, sim::Bound::none});
}

/// The engines that serve a traffic, and their machines with one of its requests.
struct ServingMachine {
    Pools pools;
    RequestResult one;    ///< machine
    double copies = 1.0;  ///< of it
    MetricPlan plan;

    /// Metrics of the service with these figures of its own.
    [[nodiscard]] Metrics metrics(Estimate const& watts, Estimate const& cost, Metrics const& own) const {
        auto all = plan.of(result_of_service(one, copies, watts, cost));
        all.insert(all.end(), own.begin(), own.end());
        return all;
    }
};

/// What is known of a service before it ends, if its engines draw so much in some step.
class KnownSoFar {
  public:
    KnownSoFar(ServingMachine const& machine, Inputs const& inputs, Traffic const& traffic)
        : machine_(machine), own_(service_metrics().size(), does_not_apply()) {
        auto const& engine = machine.pools.engine;
        idle_ = idle_watts(engine) + (engine.handover ? idle_watts(*engine.handover->to) : 0.0);
        double const rate = largest_good_rate(traffic);
        auto const machines = machine.one.machines(machine.copies);
        cost_ = economy::Economy::of(inputs.options)
                    .per_million_tokens(machines.cost, {0.0, 0.0, machines.idle_power, rate, 0.0});
        if (applies(cost_)) cost_ = at_least(cost_.value);
        auto const energy = static_cast<std::size_t>(find_metric(service_metrics(), "energy_per_good_token"));
        own_[energy] = at_least(idle_ / rate);  // until the last good one arrives
    }
    [[nodiscard]] Metrics at_first() const { return with(idle_); }
    [[nodiscard]] Metrics with(double watts) const { return machine_.metrics(at_least(watts), cost_, own_); }

  private:
    ServingMachine const& machine_;
    double idle_ = 0.0;  ///< W
    Estimate cost_;
    Metrics own_;
};

/// The engines of a machine for requests of mean length; if these are too long for it, for the shortest.
std::variant<Pools, Infeasible> pools_for(Architecture const& architecture, Inputs const& inputs, Point point,
                                          Fidelity fidelity, Traffic const& traffic) {
    auto const of = [&](Lengths const& lengths) -> std::variant<Pools, Infeasible> {
        auto const one = with_requests(architecture, inputs.parameters, point, lengths);
        auto engine = of_machine<engine_of>(architecture, inputs, one, fidelity);
        if (auto const* rule = std::get_if<Infeasible>(&engine)) return *rule;
        return pools_of(std::get<ServiceEngine>(std::move(engine)), point, traffic);
    };
    auto found = of({traffic.mean_input, traffic.mean_output});
    if (std::holds_alternative<Pools>(found)) return found;
    return of(shortest_of(traffic));
}

/// The machine with one request of the mean length of those that are not rejected.
std::variant<ServingMachine, Infeasible> machine_for(Architecture const& architecture, Inputs const& inputs,
                                                     Point point, Fidelity fidelity, Traffic const& traffic) {
    auto const evaluated = [&](Lengths const& lengths) {
        auto const one = with_requests(architecture, inputs.parameters, point, lengths);
        return of_machine<request_of>(architecture, inputs, one, architecture.fidelities.front());
    };
    auto found = pools_for(architecture, inputs, point, fidelity, traffic);
    auto* pools = std::get_if<Pools>(&found);
    auto const mean = pools == nullptr ? std::nullopt : mean_of(traffic, *pools);
    auto request = evaluated(mean.value_or(shortest_of(traffic)));
    if (auto* rule = std::get_if<Infeasible>(&request)) {
        if (!mean && rule->rule == context_rule) rule->reason = "every request is too long: " + rule->reason;
        return *std::move(rule);
    }
    if (pools == nullptr) return std::get<Infeasible>(std::move(found));
    if (!mean)
        return infeasible("cache", "every request exceeds the context of the model or the cache of {} tokens",
                          sim::serving::longest_cached(pools->settings));
    return ServingMachine{std::move(*pools), std::get<RequestResult>(std::move(request)),
                          sim::as_double(copies_of(point)), MetricPlan(architecture.metrics())};
}

}  // namespace

std::vector<Value> point_of_request(Architecture const& architecture, Parameters const& parameters, Point point,
                                    std::int64_t input, std::int64_t output) {
    return with_requests(architecture, parameters, point, {input, output});
}

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
    if (auto const* rule = std::get_if<Infeasible>(&made)) return *rule;
    return KnownSoFar(std::get<ServingMachine>(made), inputs, traffic).at_first();
}

Outcome evaluate_service(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity,
                         Traffic const& traffic, Refusal const& refusal) {
    auto const made = machine_for(architecture, inputs, point, fidelity, traffic);
    if (auto const* rule = std::get_if<Infeasible>(&made)) return *rule;
    auto const& machine = std::get<ServingMachine>(made);
    PowerRefusal refuses;
    if (traffic.required && refusal) {
        KnownSoFar known(machine, inputs, traffic);
        if (auto at_first = refusal(known.at_first())) return *std::move(at_first);
        refuses = [&refusal, known = std::move(known)](double watts) { return refusal(known.with(watts)); };
    }
    bool const finest = fidelity == architecture.fidelities.back();
    double const spread = std::max(machine.pools.engine.spread, machine.pools.last().spread);
    auto const found = served_figures({architecture, inputs, point, fidelity}, machine.pools, traffic, refuses);
    if (auto const* refused = std::get_if<Infeasible>(&found)) return *refused;
    auto const& figures = std::get<ServedFigures>(found);
    if (figures.missed) return *figures.missed;
    auto const& summary = figures.summary;
    auto const costs =
        TokenCosts::of(machine.one.machines(machine.copies), summary, economy::Economy::of(inputs.options));
    auto own = metrics_of(summary, {figures.max_rate, costs.carbon});
    if (!finest) set_intervals(own, figures.alone ? &*figures.alone : nullptr);
    if (finest && spread > 0.0) set_spread(own, spread, arriving_share(traffic, summary));
    bool const exact = finest && spread == 0.0;  // as the steps are
    auto const of_steps = [&](Estimate const& e) { return exact || !applies(e) ? e : Estimate::unbounded(e.value); };
    auto const watts = std::isnan(figures.watts) ? does_not_apply() : Estimate(figures.watts);
    return machine.metrics(of_steps(watts), of_steps(costs.usd), own);
}

std::optional<sim::serving::LargestRate> max_rate(Architecture const& architecture, Inputs const& inputs, Point point,
                                                  Fidelity fidelity, Traffic const& traffic) {
    auto const pools = pools_for(architecture, inputs, point, fidelity, traffic);
    return std::holds_alternative<Pools>(pools) ? largest_rate(std::get<Pools>(pools), traffic, {}) : std::nullopt;
}

double figure_of(Architecture const& architecture, std::vector<std::pair<std::string, std::string>> const& settings,
                 std::string const& metric, Fidelity fidelity, std::string& problem) {
    std::vector<std::pair<std::string, std::string>> of_traffic, of_machine;
    for (auto const& setting : settings) (is_traffic_key(setting.first) ? of_traffic : of_machine).push_back(setting);
    auto const traffic = read_traffic_keys(of_traffic);
    auto parameters = architecture.parameters();
    auto const more = scheduler_parameters();
    parameters.insert(parameters.end(), more.begin(), more.end());
    auto const point = point_with(parameters, of_machine);
    auto const inputs = prepare(architecture, std::move(parameters), own_footing());
    auto metrics = architecture.metrics();
    auto const own = service_metrics();
    metrics.insert(metrics.end(), own.begin(), own.end());
    int const at = find_metric(metrics, metric);
    if (at < 0) throw sim::InputError("unknown metric '{}' of a service", metric);
    auto const outcome = evaluate_service(architecture, inputs, point, fidelity, traffic);
    if (auto const* found = std::get_if<Metrics>(&outcome)) return (*found)[static_cast<std::size_t>(at)].value;
    problem = std::get<Infeasible>(outcome).reason;
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace pimdse::models::service
