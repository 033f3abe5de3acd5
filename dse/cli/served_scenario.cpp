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
    [[nodiscard]] std::optional<SchedulerChange> best_change(Served const& now) const {
        std::optional<SchedulerChange> best;
        auto const& parameters = requested_.machine.parameters();
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (!parameters[i].name.starts_with(models::service::scheduler_prefix)) continue;
            if (parameters[i].name == models::service::reuse_name && now.settings.tier.units == 0) continue;
            auto const value = value_in(now.settings, parameters[i], point_[i]);
            for (auto const& other : alternatives(parameters[i], value)) {
                auto changed = point_;
                changed[i] = other;
                auto const result = serve_with(changed, traffic_, {});
                auto const* served = std::get_if<Served>(&result);
                if (served == nullptr || served->summary.good <= (best ? best->good : now.summary.good)) continue;
                best = SchedulerChange{parameters[i].name, models::print_value(parameters[i], value),
                                       models::print_value(parameters[i], other), served->summary.good};
            }
        }
        return best;
    }

    [[nodiscard]] std::optional<sim::serving::LargestRate> max_rate(Traffic const& traffic) const {
        auto const& machine = requested_.machine;
        return models::service::max_rate(*machine.architecture, machine.inputs, point_, requested_.fidelity, traffic);
    }

    [[nodiscard]] std::optional<SeedRange> of_seeds(double own) const {
        if (!traffic_.again) return std::nullopt;
        SeedRange range{own, own, 1};
        constexpr std::uint64_t first_seed = 1001, last_seed = 1004;  // others than people choose
        for (auto seed = first_seed; seed <= last_seed; ++seed) {
            auto other = traffic_;
            other.load = traffic_.again(seed);
            double const rate = max_rate(other).value_or(sim::serving::LargestRate{}).rate;
            range = {std::min(range.lower, rate), std::max(range.upper, rate), range.seeds + 1};
        }
        return range;
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

    /// The value of a parameter of the scheduler that is in use: one of 0 stands for a default.
    static Value value_in(sim::serving::SchedulerSettings const& settings, models::Parameter const& parameter,
                          Value const& value) {
        if (value.kind() != models::Kind::integer || value.as_integer() != 0) return value;
        if (parameter.name.ends_with(".max_sequences")) return Value::integer(settings.max_sequences);
        return parameter.name.ends_with(".max_batched_tokens") ? Value::integer(settings.max_batched_tokens) : value;
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

/// Whether the point has the metric max_rate in a scenario: nobody asks for it where limits are required.
bool has_max_rate(PointRequest const& requested, models::Metrics const& metrics, std::string const& scenario) {
    int const at = models::find_metric(requested.machine.metrics(), store::schema::name_in(scenario, "max_rate"));
    return at >= 0 && !std::isnan(metrics[static_cast<std::size_t>(at)].value);
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

/// What the rate says: how far the limits are, or which rate they allow.
std::string rate_advice(ServedScenario const& scenario) {
    if (!scenario.largest || !scenario.rate) return "";
    auto const& found = *scenario.largest;
    if (found.rate == 0.0)
        return "the limits are missed at every rate, even by requests that are served alone: this machine is too slow "
               "for them";
    auto const up_to = sim::print_quantity(found.rate, "1/s");
    auto text = fmt::format("this design meets the limits up to {} (the requests arrive at {})", up_to,
                            sim::print_quantity(*scenario.rate, "1/s"));
    if (meets_limits(scenario) && found.rate >= *scenario.rate)
        text = fmt::format("the limits are met, and hold up to {} ({} times this rate)", up_to,
                           sim::print_number(found.rate / *scenario.rate, 3));
    else if (meets_limits(scenario))
        text = fmt::format(
            "the limits are met only because the requests are few: of traffic that goes on, {} may "
            "arrive",
            up_to);
    if (found.at_ceiling) text += ", which is all that is ever served";
    text += fmt::format("; sustained_rate: {}", sim::print_quantity(found.served, "1/s"));
    if (found.repeats > 1) text += fmt::format(", of these requests {} times over", found.repeats);
    if (!found.lasts()) text += ": too few to tell what lasts";
    return text;
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
        if (has_max_rate(requested, metrics, next.name)) next.largest = point.max_rate(*next.traffic);
        if (next.largest) next.of_seeds = point.of_seeds(next.largest->rate);
        if (!meets_limits(next)) next.best_change = point.best_change(next.served);
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
    if (!scenario.rate) return "";
    auto const& ceiling = scenario.served.ceiling;
    if (!ceiling)
        return "not saturated: the requests that had arrived were complete before the last ones came, so the machine "
               "keeps up";
    auto const at_most = sim::print_quantity(*ceiling, "1/s"), rate = sim::print_quantity(*scenario.rate, "1/s");
    if (!scenario.served.summary.saturated)
        return fmt::format("not saturated: requests arrive at {}, and at most {} are served", rate, at_most);
    return fmt::format(
        "saturated: requests arrive at {}, and at most {} are served. The queue grows for as long as "
        "they arrive, so the times above describe the length of the traffic ({} requests), not what "
        "users of a longer one would see",
        rate, at_most, scenario.traffic->load.requests.size());
}

std::string warm_up_sentence(ServedScenario const& scenario) {
    auto const users = scenario.traffic->load.concurrency;
    if (users == 0) return "";
    if (auto const warm_up = scenario.served.summary.warm_up; warm_up > 0)
        return fmt::format("times and shares are those after the first {} requests: {} users who begin at once",
                           warm_up, users);
    return "the users have fewer than two requests each, so times are those of users who begin at once";
}

std::string hint_for(ServedScenario const& scenario) {
    std::vector<std::string> parts;
    auto const& summary = scenario.served.summary;
    if (summary.rejected > 0)
        parts.push_back(
            fmt::format("{} of the requests exceed the context of the model or the whole cache of {} "
                        "tokens (more memory, or a smaller format of weights or kv_cache)",
                        summary.rejected, sim::serving::longest_cached(scenario.served.settings)));
    for (auto& part : {rate_advice(scenario), change_advice(scenario)})
        if (!part.empty()) parts.push_back(part);
    return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace pimdse::dse::cli
