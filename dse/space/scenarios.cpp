#include "dse/space/scenarios.hpp"

#include "models/contract/architecture.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/common_parameters.hpp"
#include "models/contract/parameter.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/llm/language_models.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "models/service/service_metrics.hpp"
#include "sim/base/check.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

namespace pimdse::dse::space {
namespace {

using models::Estimate;
using models::Metric;
using models::MetricList;
using models::Metrics;
using models::Sense;

/// Parameters of one batch, which requests that arrive over time do not have.
constexpr std::array<std::string_view, 3> of_a_batch{"input", "output", "batch"};
constexpr std::string_view only_of_a_batch = "describes one batch, but requests arrive over time in";

/// Whether the character may be in the name of a scenario.
bool fits_name(unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; }

/// A metric that designs and baseline have, and the name of the ratio baseline / design.
struct Ratio {
    std::string_view of, name, meaning;
};
constexpr std::array ratios{
    Ratio{"latency", "speedup", "latency of the baseline over that of the design"},
    Ratio{"ttft", "ttft_speedup", "time to first token of the baseline over that of the design"},
    Ratio{"energy", "energy_ratio", "energy of the baseline over that of the design"},
};

/// The weighted aggregate of one end of the scenarios' intervals.
template <class End>
double aggregated(Aggregate how, bool more_is_better, std::vector<Scenario> const& scenarios, End const& end) {
    double weights = 0.0, sum = 0.0, product = 0.0;
    double min = std::numeric_limits<double>::infinity(), max = -min;
    for (std::size_t s = 0; s < scenarios.size(); ++s) {
        double const x = end(s), weight = scenarios[s].written.weight;
        if (std::isnan(x)) return x;
        weights += weight;
        sum += weight * x;
        product += weight * std::log(x);
        min = std::min(min, x);
        max = std::max(max, x);
    }
    switch (how) {
        case Aggregate::geomean:
            return min == max ? min : std::clamp(std::exp(product / weights), min, max);
        case Aggregate::mean:
            return min == max ? min : std::clamp(sum / weights, min, max);
        case Aggregate::sum:
            return sum;
        case Aggregate::worst:
            return more_is_better ? min : max;
        default:
            return max;
    }
}

Estimate no_number() { return Estimate::unbounded(std::numeric_limits<double>::quiet_NaN()); }

Estimate quotient(Estimate const& of_baseline, Estimate const& of_design) {
    if (std::isnan(of_baseline.value) || std::isnan(of_design.value) || of_design.value == 0.0) return no_number();
    return of_baseline / of_design;
}

Aggregate default_aggregate(Metric const& metric) {
    static std::set<std::string, std::less<>> const products{"s", "J", "1/s", "B/s", "1/J", "J*s"}, largest{"m2", "B"};
    if (metric.name == "tokens_per_second" || products.contains(metric.unit)) return Aggregate::geomean;
    if (metric.unit == "W") return Aggregate::worst;
    return largest.contains(metric.unit) ? Aggregate::max : Aggregate::mean;
}

using models::Architecture;
using models::Parameters;

constexpr std::size_t longest_name = 64;

/// Why an architecture does not serve a key of a request that is not a parameter of its own; "" if it does. Both
/// machines of a pair must serve it.
std::string refusal_of(Architecture const& architecture, std::string const& key, std::string const& value) {
    for (auto const* part : architecture.parts) {
        if (models::find_parameter(part->parameters(), key) >= 0) continue;
        if (auto refusal = refusal_of(*part, key, value); !refusal.empty()) return refusal;
    }
    if (!architecture.parts.empty()) return "";
    for (auto const& [name, served] : architecture.workload.only) {
        if (name != key) continue;
        return served == value ? ""
                               : fmt::format("{} serves {} = {} only, not {}", architecture.name, key, served, value);
    }
    return fmt::format("{} does not know what {} = {} asks", architecture.name, key, value);
}

/// The parameters of the machines of a pair that a key of a request sets (decode.generation for generation).
std::vector<std::size_t> parameters_of_parts(std::string const& key, Architecture const& architecture,
                                             Parameters const& parameters) {
    std::vector<std::size_t> found;
    auto const is_meant = [&](std::string const& name) { return name.ends_with("." + key); };
    for (std::size_t i = 0; !architecture.parts.empty() && i < parameters.size(); ++i)
        if (is_meant(parameters[i].name) || std::ranges::any_of(parameters[i].aliases, is_meant)) found.push_back(i);
    return found;
}

/// The precision in bit.
double min_precision(std::string const& text) {
    constexpr std::int64_t max = 64;
    auto const bits = sim::number_in<std::int64_t>(text);
    if (!bits || *bits < 1 || *bits > max)
        throw sim::InputError("precision = {} must be a whole number of bits from 1 to {}", text, max);
    return static_cast<double>(*bits);
}

/// The value of a key that a scenario says; nullptr: it does not.
std::string const* value_of(std::vector<std::pair<std::string, std::string>> const& keys, std::string_view name) {
    auto const found = std::ranges::find(keys, name, [](auto const& key) { return key.first; });
    return found == keys.end() ? nullptr : &found->second;
}

std::size_t parameter_named(Architecture const& architecture, Parameters const& parameters, std::string_view name) {
    int const index = models::find_parameter(parameters, name);
    if (index >= 0) return static_cast<std::size_t>(index);
    throw sim::InputError(models::unknown_parameter(name, parameters, architecture.name));
}

using Settings = Baseline::Settings;
using Changes = std::vector<std::pair<std::size_t, models::Value>>;

Changes changes_in(Baseline::Settings const& settings, Architecture const& architecture, Parameters& parameters,
                   std::vector<Scenario> const& scenarios) {
    Changes changes;
    for (auto const& [name, text] : settings) {
        auto const at = parameter_named(architecture, parameters, name);
        auto const value = models::read_value(parameters[at], text);
        for (auto const& scenario : scenarios) {
            if (scenario.decides(at) && !scenario.says(at, value))
                throw sim::InputError("{} is set by the scenarios", parameters[at].name);
        }
        changes.emplace_back(at, value);
    }
    return changes;
}

void check(Baseline const& baseline, std::vector<Scenario> const& requested) {
    for (std::size_t s = 0; s < requested.size(); ++s) {
        auto const outcome = baseline.outcome(s, {}, {}, models::Fidelity::analytic);
        if (auto const* infeasible = std::get_if<models::Infeasible>(&outcome))
            throw sim::InputError("it does not serve {}: {}", requested[s].written.name, infeasible->reason);
        if (auto const* defect = std::get_if<models::Defect>(&outcome)) throw sim::InputError(defect->what);
    }
}

std::shared_ptr<models::service::Traffic const> traffic_of(WrittenScenario const& work) {
    Settings keys;
    for (auto const& key : work.keys) {
        if (models::service::is_traffic_key(key.first)) keys.push_back(key);
        if (std::ranges::find(of_a_batch, key.first) != of_a_batch.end())
            throw sim::InputError(
                "{} {} this scenario. {}?", key.first, only_of_a_batch,
                key.first == "batch" ? "Leave it out" : fmt::format("Write it as traffic.{}", key.first));
    }
    return std::make_shared<models::service::Traffic const>(models::service::read_traffic_keys(keys));
}

bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= longest_name && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
           std::all_of(name.begin(), name.end(), fits_name);
}

}  // namespace

std::shared_ptr<Baseline const> Baseline::with(models::Inputs inputs) const {
    auto parts = parts_;
    parts.inputs = std::move(inputs);
    return std::make_shared<Baseline const>(std::move(parts));
}

MetricList metrics_of_ratios() {
    MetricList list;
    for (auto const& [of, name, meaning] : ratios)
        list.push_back({std::string(name), "1", std::string(meaning), Sense::maximize});
    return list;
}

std::vector<models::Value> Baseline::changed(models::Point point) const {
    std::vector<models::Value> design(point.begin(), point.end());
    for (auto const& [parameter, value] : parts_.changes) design[parameter] = value;
    return design;
}

models::Outcome Baseline::outcome(std::size_t scenario, models::Inputs const& inputs, models::Point point,
                                  models::Fidelity fidelity) const {
    if (is_the_design_itself()) return models::evaluate_safely(*parts_.architecture, inputs, changed(point), fidelity);
    auto const& built = parts_.architecture->fidelities;
    auto const finest = std::find_if(built.rbegin(), built.rend(), [&](auto f) { return f <= fidelity; });
    auto const result = [](Key const& key, Parts const& parts) {
        return models::evaluate_safely(*parts.architecture, parts.inputs, parts.points[key.scenario], key.fidelity);
    };
    return outcomes_.get(Key{scenario, finest == built.rend() ? built.front() : *finest}, result, parts_);
}

std::vector<WrittenScenario> with_each(std::vector<WrittenScenario> const& works, std::string const& key,
                                       std::vector<std::string> const& texts) {
    std::vector<WrittenScenario> all;
    for (auto const& work : works) {
        for (auto const& text : texts) {
            WrittenScenario next = work;
            next.keys.emplace_back(key, text);
            if (texts.size() > 1) {
                std::string suffix = fmt::format(".{}", sim::trimmed(text));
                std::ranges::replace_if(
                    suffix, [](unsigned char c) { return !fits_name(c); }, '_');
                next.name += suffix;
            }
            all.push_back(std::move(next));
        }
    }
    return all;
}

Scenarios::Scenarios(Parts parts, MetricList own) : parts_(std::move(parts)), metrics_(std::move(own)) {
    if (serve()) {
        auto more = models::service::service_metrics();
        int const energy = models::find_metric(metrics_, "energy");
        if (energy >= 0) models::leave_out_power(more, metrics_[static_cast<std::size_t>(energy)].absent);
        metrics_.insert(metrics_.end(), more.begin(), more.end());
    }
    metrics_.insert(metrics_.end(), parts_.tables.begin(), parts_.tables.end());
    auto const mine = metrics_;
    if (parts_.baseline) {
        auto const theirs = parts_.baseline->architecture().metrics();
        for (auto const& [of, name, meaning] : ratios) {
            int const a = models::find_metric(mine, of), b = models::find_metric(theirs, of);
            if (a < 0 || b < 0) continue;
            compared_.push_back({static_cast<std::size_t>(a), static_cast<std::size_t>(b)});
            metrics_.push_back({std::string(name), "1", std::string(meaning), Sense::maximize, false,
                                mine[static_cast<std::size_t>(a)].needs});
        }
    }
    for (auto const& metric : metrics_) {
        auto const given = std::find_if(parts_.aggregates.begin(), parts_.aggregates.end(),
                                        [&](auto const& aggregate) { return aggregate.first == metric.name; });
        aggregates_.push_back(given != parts_.aggregates.end() ? given->second : default_aggregate(metric));
    }
}

// The sentences of short_of_precision() are stored as reasons in result files and enter their digests: do not reword
// them.
std::string short_of_precision(MetricList const& metrics, Metrics const& results, double asked) {
    if (asked == 0.0) return "";
    int const metric = models::find_metric(metrics, models::precision_key);
    if (metric < 0) return fmt::format("precision = {} is asked, and the machine does not say its own", asked);
    double const bits = results[static_cast<std::size_t>(metric)].value;
    if (std::isnan(bits))
        return fmt::format("precision = {} is asked, and the machine does not say its own for this request", asked);
    return bits >= asked ? "" : fmt::format("weights are computed with {} bits, {} are asked", bits, asked);
}

std::string Scenarios::refusal_of(Scenario const& scenario, Metrics const& results) const {
    return short_of_precision(metrics_, results, scenario.precision);
}

bool Scenarios::serve() const {
    return std::ranges::any_of(parts_.list, [](Scenario const& scenario) { return has_traffic(scenario.written); });
}

std::string Scenarios::unused(std::string_view parameter) const {
    bool const all = !list().empty() &&
                     std::ranges::all_of(list(), [](Scenario const& scenario) { return scenario.traffic != nullptr; });
    if (!all || std::ranges::find(of_a_batch, parameter) == of_a_batch.end()) return "";
    return fmt::format("{} {} every scenario", parameter, only_of_a_batch);
}

bool Scenarios::may_apply_elsewhere(std::string_view metric) const {
    return serve() && models::service::applies_by_schedule(metric.substr(0, metric.find('@')));
}

bool Scenarios::ask(std::size_t parameter) const {
    return std::any_of(list().begin(), list().end(),
                       [&](Scenario const& scenario) { return scenario.decides(parameter); });
}

bool Scenarios::say(std::size_t parameter, models::Value const& value) const {
    return std::ranges::all_of(list(), [&](Scenario const& scenario) { return scenario.says(parameter, value); });
}

MetricList Scenarios::metrics_of_points() const {
    MetricList all = metrics_;
    for (std::size_t m = 0; m < all.size(); ++m)
        all[m].meaning += fmt::format("; {} over the scenarios", name_of(aggregates_[m]));
    for (auto const& scenario : list()) {
        for (auto metric : metrics_) {
            metric.name += "@" + scenario.written.name;
            all.push_back(std::move(metric));
        }
    }
    return all;
}

Estimate Scenarios::aggregated(std::vector<Metrics> const& results, std::size_t m) const {
    bool const more = metrics_[m].better == Sense::maximize;
    auto const end = [&](double Estimate::*which) {
        return space::aggregated(aggregates_[m], more, list(), [&](std::size_t s) { return results[s][m].*which; });
    };
    auto kinds = results[0][m].kinds;
    for (auto const& result : results) kinds = kinds.weaker(result[m].kinds);
    double const value = end(&Estimate::value);
    if (std::isnan(value)) return no_number();
    // Every aggregate is monotone in each scenario's number, so interval ends map to interval ends; min and max keep
    // the estimate inside despite rounding.
    return {value, std::min(value, end(&Estimate::lower)), std::max(value, end(&Estimate::upper)), kinds};
}

Metrics Scenarios::combined(std::vector<Metrics> results, std::vector<Metrics> const& others) const {
    sim::expects(results.size() == list().size() && !results.empty(), "a point has a result in every scenario");
    sim::expects(compared_.empty() || others.size() == results.size(), "a baseline has a result in every scenario");
    for (std::size_t s = 0; s < results.size(); ++s) {
        for (auto const& [mine, theirs] : compared_)
            results[s].push_back(quotient(others[s][theirs], results[s][mine]));
    }
    Metrics all;
    all.reserve(metrics_.size() * (1 + results.size()));
    for (std::size_t m = 0; m < metrics_.size(); ++m) all.push_back(aggregated(results, m));
    for (auto const& result : results) all.insert(all.end(), result.begin(), result.end());
    return all;
}

std::vector<std::string> mistakes_in(std::vector<Scenario> const& scenarios) {
    std::vector<std::string> mistakes;
    std::set<std::string_view> names;
    for (auto const& scenario : scenarios) {
        auto const& [name, weight, keys] = scenario.written;
        if (!is_name(name))
            mistakes.push_back(
                fmt::format("'{}' is not a valid scenario name (a letter, then letters, digits, '_', '-' and '.', at "
                            "most {} characters)",
                            name, longest_name));
        if (!names.insert(name).second) mistakes.push_back(fmt::format("there are two scenarios '{}'", name));
        if (!(weight > 0.0) || !std::isfinite(weight)) mistakes.emplace_back("a weight must be above 0");
        std::set<std::string_view> known;
        for (auto const& [key, value] : keys) {
            if (!known.insert(key).second) mistakes.push_back(fmt::format("scenario {} sets {} twice", name, key));
        }
    }
    return mistakes;
}

std::vector<std::string> scenario_keys() {
    std::vector<std::string> keys(models::workload_keys.begin(), models::workload_keys.end());
    auto const of_traffic = sim::words_of(models::service::traffic_keys, ' ');
    keys.insert(keys.end(), of_traffic.begin(), of_traffic.end());
    for (auto const& parameter : models::service::scheduler_parameters())
        if (parameter.name.starts_with(models::service::scheduler_prefix)) keys.push_back(parameter.name);
    return keys;
}

bool has_traffic(WrittenScenario const& work) {
    return std::ranges::any_of(work.keys, [](auto const& key) { return models::service::is_traffic_key(key.first); });
}

Parameters machine_parameters(Architecture const& architecture, models::Assumptions const& assumptions, bool traffic) {
    auto parameters = architecture.parameters();
    models::set_common_defaults(parameters, assumptions);
    if (!traffic) return parameters;
    auto const more = models::service::scheduler_parameters();
    parameters.insert(parameters.end(), more.begin(), more.end());
    return parameters;
}

Scenario scenario_of(WrittenScenario work, Architecture const& architecture, Parameters& parameters) {
    Scenario scenario{std::move(work), {}, 0.0, ""};
    if (has_traffic(scenario.written)) scenario.traffic = traffic_of(scenario.written);
    auto const take = [&](std::string const& key, std::string const& value) {
        if (key == models::precision_key) {
            scenario.precision = min_precision(value);
            return;
        }
        if (models::service::is_traffic_key(key)) return;
        auto const ask = [&](std::size_t at) {
            scenario.asks.emplace_back(at, models::read_value(parameters[at], value));
        };
        if (int const own = models::find_parameter(parameters, key); own >= 0)
            return ask(static_cast<std::size_t>(own));
        if (scenario.refusal.empty()) scenario.refusal = refusal_of(architecture, key, value);
        for (auto const at : parameters_of_parts(key, architecture, parameters)) ask(at);
    };
    auto& keys = scenario.written.keys;
    for (auto const& [key, value] : keys) take(key, value);
    auto const* const model = value_of(keys, "llm");
    if (model == nullptr) return scenario;
    auto implied = models::implied_generation(*model);
    if (implied && value_of(keys, implied->first) == nullptr) {
        take(implied->first, implied->second);
        keys.push_back(*std::move(implied));
    }
    for (auto const& [name, value] : architecture.workload.implied) {
        auto const at = parameter_named(architecture, parameters, name);
        if (!scenario.decides(at)) scenario.asks.emplace_back(at, models::read_value(parameters[at], value));
    }
    return scenario;
}

std::shared_ptr<Baseline const> one_design(Architecture const& architecture, Baseline::Settings settings,
                                           std::vector<Scenario> const& scenarios,
                                           models::Assumptions const& assumptions) {
    bool const traffic =
        std::ranges::any_of(scenarios, [](Scenario const& scenario) { return has_traffic(scenario.written); });
    auto parameters = machine_parameters(architecture, assumptions, traffic);
    std::vector<Scenario> requested;
    for (auto const& scenario : scenarios) {
        requested.push_back(scenario_of(scenario.written, architecture, parameters));
        if (!requested.back().refusal.empty()) throw sim::InputError(requested.back().refusal);
    }
    auto const changes = changes_in(settings, architecture, parameters, requested);
    Baseline::Parts parts;
    parts.architecture = &architecture;
    parts.settings = std::move(settings);
    for (auto const& scenario : requested) {
        auto point = models::default_point(parameters);
        for (auto const& [at, value] : changes) point[at] = value;
        for (auto const& [at, value] : scenario.asks) point[at] = value;
        parts.points.push_back(std::move(point));
    }
    parts.inputs = models::prepare(architecture, std::move(parameters), models::ModelOptions("", assumptions));
    auto baseline = std::make_shared<Baseline const>(std::move(parts));
    check(*baseline, requested);
    return baseline;
}

std::shared_ptr<Baseline const> design_itself(Architecture const& architecture, Baseline::Settings settings,
                                              Parameters& parameters, std::vector<Scenario> const& scenarios) {
    if (settings.empty())
        throw sim::InputError("a baseline without an architecture needs a parameter that differs from the design");
    Baseline::Parts parts;
    parts.architecture = &architecture;
    parts.changes = changes_in(settings, architecture, parameters, scenarios);
    parts.settings = std::move(settings);
    return std::make_shared<Baseline const>(std::move(parts));
}

}  // namespace pimdse::dse::space
