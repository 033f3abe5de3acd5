#include "models/service/service.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "models/service/service_metrics.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/serving/max_rate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace pimdse::models::service {
namespace {

using sim::serving::RequestTimes;
using sim::serving::Schedule;
using sim::serving::SchedulerSettings;
using sim::serving::ServiceLoad;
using sim::serving::ServiceSummary;
using sim::serving::StepLaw;

/// Requests of mean length, one for each part of a batch that several devices divide.
std::vector<Value> with_mean_request(Parameters const& parameters, Point point, Traffic const& traffic) {
    std::vector<Value> one(point.begin(), point.end());
    auto const set = [&](std::string_view name, std::int64_t value) {
        if (int const at = find_parameter(parameters, name); at >= 0)
            one[static_cast<std::size_t>(at)] = Value::integer(value);
    };
    std::int64_t parts = 1;
    for (auto const* division : {"expert_parallel", "data_parallel", "micro_batches"}) {
        int const at = find_parameter(parameters, division);
        if (at >= 0) parts *= point[static_cast<std::size_t>(at)].as_integer();
    }
    set("batch", parts);
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
    if (settings.blocks > 0) return settings;
    return Infeasible{"cache", fmt::format("the weights leave no memory for a block of the cache of keys and values "
                                           "({} B are left, a block of {} tokens takes {} B)",
                                           engine.cache_bytes, settings.block_tokens,
                                           engine.position_bytes * sim::as_double(settings.block_tokens))};
}

/// What a request of a machine whose steps take their lower bounds has if it is served alone: nothing happens before.
RequestTimes best_times(sim::serving::ServiceRequest const& request, RequestTimes const& found,
                        ServiceEngine const& engine) {
    RequestTimes best;
    best.arrival = best.scheduled = found.arrival;
    best.rejected = found.rejected;
    if (found.rejected) return best;
    double const first = engine.least_seconds({{{request.input, 0}}, {}, 1});
    auto const steps = sim::divide_up(request.output, engine.tokens_per_step) - 1;
    double const rest =
        steps > 0 ? sim::as_double(steps) * engine.least_seconds({{}, {request.input + engine.tokens_per_step}, 1})
                  : 0.0;
    best.first_token = best.arrival + first;
    best.last_token = best.first_token + rest;
    return best;
}

ServiceSummary best_summary(Traffic const& traffic, Served const& served, ServiceEngine const& engine) {
    Schedule best;
    for (std::size_t i = 0; i < served.schedule.requests.size(); ++i) {
        best.requests.push_back(best_times(traffic.load.requests[i], served.schedule.requests[i], engine));
        best.end = std::max(best.end, best.requests.back().last_token);
    }
    return sim::serving::summarise(traffic.load, served.settings, best, traffic.objectives, 0.0);
}

std::variant<Served, Infeasible> serve_with(ServiceEngine const& engine, Point point, Traffic const& traffic,
                                            sim::serving::Observer const& observe = {}) {
    auto const settings = settings_for(point, engine);
    if (auto const* rule = std::get_if<Infeasible>(&settings)) return *rule;
    Served served{std::get<SchedulerSettings>(settings),
                  {},
                  {},
                  engine.idle_power * sim::as_double(engine.copies),
                  engine.copies};
    served.schedule = sim::serving::schedule_in_turn(traffic.load, served.settings, engine.law, engine.copies, observe);
    served.summary =
        sim::serving::summarise(traffic.load, served.settings, served.schedule, traffic.objectives, engine.idle_power);
    return served;
}

/// The metrics of one batch do not apply.
void keep_machine(Metrics& metrics, MetricList const& table) {
    for (std::size_t i = 0; i < table.size(); ++i)
        if (!describes_the_machine(table[i].name)) metrics[i] = does_not_apply();
}

}  // namespace

std::variant<ServiceEngine, Infeasible> engine_for(Architecture const& architecture, Inputs const& inputs, Point point,
                                                   Fidelity fidelity, Traffic const& traffic) {
    return engine_of(architecture, inputs, with_mean_request(inputs.parameters, point, traffic), fidelity);
}

std::variant<Served, Infeasible> serve(Architecture const& architecture, Inputs const& inputs, Point point,
                                       Fidelity fidelity, Traffic const& traffic,
                                       sim::serving::Observer const& observe) {
    auto const engine = engine_for(architecture, inputs, point, fidelity, traffic);
    if (auto const* rule = std::get_if<Infeasible>(&engine)) return *rule;
    return serve_with(std::get<ServiceEngine>(engine), point, traffic, observe);
}

Outcome evaluate_service(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity,
                         Traffic const& traffic) {
    auto const one = with_mean_request(inputs.parameters, point, traffic);
    auto outcome = architecture.evaluate(inputs, one, architecture.fidelities.front());
    if (!std::holds_alternative<Metrics>(outcome)) return outcome;
    auto metrics = std::get<Metrics>(std::move(outcome));
    keep_machine(metrics, architecture.metrics());
    auto const engine = engine_of(architecture, inputs, one, fidelity);
    if (auto const* rule = std::get_if<Infeasible>(&engine)) return *rule;
    auto const& steps = std::get<ServiceEngine>(engine);
    auto const served = serve_with(steps, point, traffic);
    if (auto const* rule = std::get_if<Infeasible>(&served)) return *rule;
    auto const& result = std::get<Served>(served);
    auto const at = [&](ServiceLoad const& load) {
        return sim::serving::schedule_in_turn(load, result.settings, steps.law, steps.copies);
    };
    auto values =
        metrics_of(result.summary, sim::serving::max_rate(traffic.load, at, traffic.objectives, traffic.share));
    if (fidelity != architecture.fidelities.back()) {
        ServiceSummary const unknown;
        set_intervals(values, steps.least_seconds ? best_summary(traffic, result, steps) : unknown);
    }
    metrics.insert(metrics.end(), values.begin(), values.end());
    return metrics;
}

}  // namespace pimdse::models::service
