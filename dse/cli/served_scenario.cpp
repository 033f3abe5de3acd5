#include "dse/cli/served_scenario.hpp"

#include "dse/cli/options.hpp"
#include "dse/store/result_schema.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/serving/max_rate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

namespace pimdse::dse::cli {
namespace {

using models::Value;
using models::service::Served;
using models::service::Traffic;

using ServedOrNot = std::variant<Served, models::Infeasible>;

/// Serves traffic with a point, and with changes of it.
class ServingPoint {
  public:
    ServingPoint(PointRequest const& requested, space::Scenario const& scenario)
        : requested_(requested), traffic_(*scenario.traffic), point_(point_in(requested, scenario)) {}

    [[nodiscard]] ServedOrNot serve(sim::serving::Observer const& observe = {}) const {
        return serve_with(point_, traffic_, observe);
    }

    /// The change of the scheduler that makes most requests good, if it makes more of them good than are.
    [[nodiscard]] std::optional<SchedulerChange> best_change(std::int64_t good) const {
        std::optional<SchedulerChange> best;
        auto const& parameters = requested_.machine.parameters();
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (!parameters[i].name.starts_with(models::service::scheduler_prefix)) continue;
            for (auto const& other : alternatives(parameters[i], point_[i])) {
                auto changed = point_;
                changed[i] = other;
                auto const result = serve_with(changed, traffic_, {});
                auto const* served = std::get_if<Served>(&result);
                if (served == nullptr || served->summary.good <= (best ? best->good : good)) continue;
                best = SchedulerChange{parameters[i].name, models::print_value(parameters[i], point_[i]),
                                       models::print_value(parameters[i], other), served->summary.good};
            }
        }
        return best;
    }

    /// The figures with arrivals that are `factor` times as frequent.
    [[nodiscard]] std::optional<sim::serving::ServiceSummary> at_rate(double factor) const {
        auto scaled = traffic_;
        for (auto& request : scaled.load.requests) request.arrival /= factor;
        auto const result = serve_with(point_, scaled, {});
        auto const* served = std::get_if<Served>(&result);
        return served == nullptr ? std::nullopt : std::optional(served->summary);
    }

  private:
    [[nodiscard]] ServedOrNot serve_with(std::vector<Value> const& point, Traffic const& traffic,
                                         sim::serving::Observer const& observe) const {
        auto const& machine = requested_.machine;
        return models::service::serve(*machine.architecture, machine.inputs, point, requested_.fidelity, traffic,
                                      observe);
    }

    /// Other values of a parameter of the scheduler: twice, four times and half of a number, each other choice.
    static std::vector<Value> alternatives(models::Parameter const& parameter, Value const& value) {
        std::vector<Value> others;
        auto const add = [&](std::int64_t number) {
            double const real = sim::as_double(number);
            if (real >= std::max(parameter.lower, 1.0) && real <= parameter.upper && number != value.as_integer())
                others.push_back(Value::integer(number));
        };
        if (value.kind() == models::Kind::integer && value.as_integer() > 0) {
            add(2 * value.as_integer());
            add(4 * value.as_integer());
            add(value.as_integer() / 2);
        }
        if (value.kind() == models::Kind::choice) {
            for (std::size_t choice = 0; choice < parameter.choices.size(); ++choice)
                if (choice != value.as_choice()) others.push_back(Value::choice(choice));
        }
        return others;
    }

    PointRequest const& requested_;
    Traffic const& traffic_;
    std::vector<Value> point_;
};

/// Whether the wanted share of the requests meets the limits.
bool meets_limits(ServedScenario const& scenario) {
    return scenario.served.summary.good_share >= scenario.traffic->share;
}

std::optional<double> max_rate_in(PointRequest const& requested, models::Metrics const& metrics,
                                  std::string const& scenario) {
    int const at = models::find_metric(requested.machine.metrics(), store::schema::name_in(scenario, "max_rate"));
    if (at < 0 || std::isnan(metrics[static_cast<std::size_t>(at)].value)) return std::nullopt;
    return metrics[static_cast<std::size_t>(at)].value;
}

void add_rates(ServedScenario& scenario, ServingPoint const& point, std::vector<double> const& factors) {
    if (!factors.empty() && !scenario.rate)
        throw UsageError(
            fmt::format("--at-rates: the requests of {} have no rate that could be scaled (a closed loop, "
                        "or all arrive at the same time). Leave out --at-rates?",
                        scenario.name));
    for (double const factor : factors) {
        if (auto const summary = point.at_rate(factor))
            scenario.at_rates.push_back({factor, *scenario.rate * factor, *summary});
    }
}

}  // namespace

std::vector<ServedScenario> served_scenarios(PointRequest const& requested, models::Metrics const& metrics,
                                             std::vector<double> const& factors) {
    std::vector<ServedScenario> all;
    for (auto const& scenario : requested.machine.scenarios.list()) {
        if (!scenario.traffic) continue;
        ServingPoint const point(requested, scenario);
        ServedScenario next;
        next.name = scenario.written.name;
        next.traffic = scenario.traffic.get();
        auto result = point.serve([&](auto const& did) { next.activities.push_back(did); });
        auto* served = std::get_if<Served>(&result);
        if (served == nullptr) continue;
        next.served = std::move(*served);
        next.figures = sim::serving::figures_of(next.traffic->load, next.served.schedule, next.traffic->objectives);
        next.rate = sim::serving::rate_of(next.traffic->load);
        next.max_rate = max_rate_in(requested, metrics, next.name);
        if (!meets_limits(next)) next.best_change = point.best_change(next.served.summary.good);
        add_rates(next, point, factors);
        all.push_back(std::move(next));
    }
    return all;
}

std::vector<models::Value> point_in(PointRequest const& requested, space::Scenario const& scenario) {
    auto point = requested.point;
    for (auto const& [parameter, value] : scenario.asks) point[parameter] = value;
    return point;
}

std::vector<sim::serving::TimelineInterval> timeline_of(ServedScenario const& scenario, std::int64_t intervals) {
    return sim::serving::timeline_of(scenario.served.schedule, scenario.activities, intervals);
}

std::string saturation_sentence(ServedScenario const& scenario) {
    auto const& traffic = *scenario.traffic;
    if (traffic.load.concurrency > 0) return "";
    if (!scenario.served.summary.saturated)
        return "not saturated: at the last arrival the queue is not longer than what the first half of the requests "
               "left";
    return fmt::format(
        "saturated: the queue grows for as long as requests arrive, so the times above describe the length of the "
        "traffic ({} requests), not what users of a longer one would see",
        traffic.load.requests.size());
}

namespace {

/// What the rate says: how far the limits are, or which rate they allow.
std::string rate_advice(ServedScenario const& scenario) {
    if (!scenario.max_rate || !scenario.rate) return "";
    if (meets_limits(scenario) && *scenario.max_rate <= *scenario.rate)
        return fmt::format(
            "the limits are met even if all requests arrive at once: they are too few to tell the "
            "largest rate (they are served at {} then)",
            sim::print_quantity(*scenario.max_rate, "1/s"));
    if (meets_limits(scenario))
        return fmt::format("the limits are met, and hold up to {} ({} times this rate)",
                           sim::print_quantity(*scenario.max_rate, "1/s"),
                           sim::print_number(*scenario.max_rate / *scenario.rate, 3));
    if (*scenario.max_rate == 0.0)
        return "the limits are missed at every rate, even by requests that are served alone: this machine is too slow "
               "for them";
    return fmt::format("this design meets the limits up to {} (the requests arrive at {})",
                       sim::print_quantity(*scenario.max_rate, "1/s"), sim::print_quantity(*scenario.rate, "1/s"));
}

std::string change_advice(ServedScenario const& scenario) {
    if (meets_limits(scenario)) return "";
    auto const& summary = scenario.served.summary;
    if (!scenario.best_change)
        return "no tried change of the scheduler makes more requests good: a faster machine is needed, or one with "
               "more memory for the cache if its share is near 100 %";
    auto const& change = *scenario.best_change;
    return fmt::format("{} = {} (now {}) makes {} of {} requests good instead of {}", change.parameter, change.after,
                       change.before, change.good, summary.requests, summary.good);
}

}  // namespace

std::string hint_for(ServedScenario const& scenario) {
    std::vector<std::string> parts;
    auto const& summary = scenario.served.summary;
    if (summary.rejected > 0)
        parts.push_back(
            fmt::format("{} of the requests exceed the context of the model or the whole cache of {} "
                        "tokens (more memory, or a smaller format of weights or kv_cache)",
                        summary.rejected, scenario.served.settings.blocks * scenario.served.settings.block_tokens));
    for (auto& part : {rate_advice(scenario), change_advice(scenario)})
        if (!part.empty()) parts.push_back(part);
    return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace pimdse::dse::cli
