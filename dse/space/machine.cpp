#include "dse/space/machine.hpp"

#include "dse/space/columns.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/service/service_metrics.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <unordered_map>

namespace pimdse::dse::space {

models::MetricList Machine::metrics() const {
    return scenarios.empty() ? metrics_of_request() : scenarios.metrics_of_points();
}

models::MetricList Machine::metrics_of_request() const {
    if (!scenarios.empty()) return scenarios.metrics();
    auto list = architecture->metrics();
    list.insert(list.end(), table_metrics.begin(), table_metrics.end());
    return list;
}

std::uint64_t Machine::size() const {
    auto const points = points_of(axes);
    sim::expects(points.has_value(), "a space has fewer than 2^64 points");
    return *points;
}

void Machine::decode(std::uint64_t number, std::vector<models::Value>& into) const {
    into.resize(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
        std::uint64_t const radix = axes[i].size();
        into[i] = axes[i].at(number % radix);
        number /= radix;
    }
}

std::uint64_t Machine::encode(models::Point point) const {
    sim::expects(point.size() == axes.size(), "a point has one value per parameter");
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        std::uint64_t const at = axes[i].find(point[i]);
        sim::expects(at < axes[i].size(), "every value of the point is on its axis");
        number = number * axes[i].size() + at;
    }
    return number;
}

std::vector<std::size_t> Machine::designed() const {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (!scenarios.ask(i)) list.push_back(i);
    }
    return list;
}

namespace {

/// Places of metrics by name: with a thousand scenarios a machine has tens of thousands of them.
using MetricPlaces = std::unordered_map<std::string_view, std::size_t>;

/// The keys point into the list.
MetricPlaces places_in(models::MetricList const& list) {
    MetricPlaces places;
    places.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) places.try_emplace(list[i].name, i);
    return places;
}

bool has(models::MetricList const& list, MetricPlaces const& places, models::Metric const& metric) {
    auto const at = places.find(metric.name);
    if (at == places.end()) return false;
    auto const& other = list[at->second];
    return other.unit == metric.unit && other.better == metric.better;
}

/// The meaning of a metric that holds for every machine, without details of one machine. Text after a semicolon states
/// how scenarios are aggregated.
std::string meaning_in_all(models::Metric const& metric) {
    auto const* common = models::find_common_metric(metric.name.substr(0, metric.name.find('@')));
    if (common == nullptr) return metric.meaning;
    auto const scenarios = metric.meaning.rfind("; ");
    return std::string(common->meaning) +
           (scenarios == std::string::npos ? std::string() : metric.meaning.substr(scenarios));
}

/// Whether some value of an axis meets a need.
template <class Met>
bool any_of_axis(Axis const& axis, Met const& met) {
    for (std::uint64_t i = 0; i < axis.size(); ++i) {
        if (met(axis.at(i))) return true;
    }
    return false;
}

std::string sentence(std::string_view metric, models::Need const& need, std::string const& here,
                     std::string const& scenario) {
    return fmt::format("{} does not apply{}: it needs {}{}", metric, scenario.empty() ? "" : " in scenario " + scenario,
                       models::text_of(need), here.empty() ? "" : fmt::format(" ({})", here));
}

/// Checks the needs of a metric in its scenario or in all scenarios with `met(need, parameter, scenario)`; the scenario
/// is nullptr if there are none. Returns a sentence about the first need that is not met, or "".
template <class Met, class Here>
std::string first_unmet(Machine const& machine, std::string_view metric, Met const& met, Here const& here) {
    auto const at = metric.find('@');
    auto const own = metric.substr(0, at);
    auto const list = machine.metrics_of_request();
    int const index = models::find_metric(list, own);
    if (index < 0 || models::find_metric(machine.table_metrics, own) >= 0) return "";
    auto const& needs = list[static_cast<std::size_t>(index)].needs;
    auto const of_service = models::find_metric(models::service::service_metrics(), own) >= 0;
    auto const in = [&](Scenario const* scenario) -> std::string {
        bool const traffic = scenario != nullptr && scenario->traffic != nullptr;
        if (of_service && !traffic && machine.scenarios.serve())
            return fmt::format("{} does not apply in scenario {}: it needs [scenario.traffic]", own,
                               scenario->written.name);
        if (traffic && !of_service && !models::service::applies_to_services(own))
            return fmt::format(
                "{} does not apply in scenario {}: it is that of one batch, but requests arrive over time "
                "(docs/traffic.md has the metrics of traffic)",
                own, scenario->written.name);
        if (traffic) return "";
        for (auto const& need : needs) {
            auto const parameter =
                static_cast<std::size_t>(models::find_parameter(machine.parameters(), need.parameter));
            if (!met(need, parameter, scenario))
                return sentence(own, need, here(parameter, scenario),
                                scenario == nullptr ? "" : scenario->written.name);
        }
        return "";
    };
    if (machine.scenarios.empty()) return in(nullptr);
    for (auto const& scenario : machine.scenarios.list()) {
        if (at != std::string_view::npos && metric.substr(at + 1) != scenario.written.name) continue;
        if (auto why = in(&scenario); !why.empty()) return why;
    }
    return "";
}

/// The value that a scenario sets for a parameter; nullptr if it sets none.
models::Value const* requested_value(Scenario const* scenario, std::size_t parameter) {
    if (scenario == nullptr) return nullptr;
    for (auto const& [requested, value] : scenario->asks) {
        if (requested == parameter) return &value;
    }
    return nullptr;
}

std::string shown(Machine const& machine, std::size_t parameter, models::Value const& value) {
    auto const& p = machine.parameters()[parameter];
    return fmt::format("here {} = {}", p.name, models::print_value(p, value));
}

}  // namespace

MachineMetrics metrics_of(std::span<Machine const> machines) {
    std::vector<models::MetricList> own;
    for (auto const& machine : machines) own.push_back(machine.metrics());
    std::vector<MetricPlaces> places_in_own;
    for (auto const& list : own) places_in_own.push_back(places_in(list));
    MachineMetrics all;
    for (auto const& metric : own.front()) {
        bool common = true;
        for (std::size_t m = 0; m < own.size() && common; ++m) common = has(own[m], places_in_own[m], metric);
        if (common) all.list.push_back(metric);
    }
    all.common = all.list.size();
    auto const shared = models::MetricList(all.list);
    auto const places_in_shared = places_in(shared);
    if (machines.size() > 1) {
        for (auto& metric : all.list) metric.meaning = meaning_in_all(metric);
    }
    for (std::size_t m = 0; m < machines.size(); ++m) {
        auto& places = all.places.emplace_back();
        for (auto& metric : own[m]) {
            auto const common = places_in_shared.find(metric.name);
            bool const is_common = common != places_in_shared.end();
            places.push_back(is_common ? common->second : all.list.size());
            if (is_common) continue;
            metric.name = space::name_in_machine(machines[m].name, metric.name);
            all.list.push_back(std::move(metric));
        }
    }
    return all;
}

std::string why_never(Machine const& machine, std::string_view metric) {
    return first_unmet(
        machine, metric,
        [&](models::Need const& need, std::size_t at, Scenario const* scenario) {
            auto const& parameter = machine.parameters()[at];
            if (auto const* requested = requested_value(scenario, at))
                return models::is_met(need, parameter, *requested);
            return any_of_axis(machine.axes[at],
                               [&](models::Value const& value) { return models::is_met(need, parameter, value); });
        },
        [&](std::size_t at, Scenario const* scenario) {
            if (auto const* requested = requested_value(scenario, at)) return shown(machine, at, *requested);
            auto const& axis = machine.axes[at];
            return axis.size() == 1 ? shown(machine, at, axis.at(0)) : std::string();
        });
}

std::string why_not_here(Machine const& machine, std::string_view metric, models::Point point) {
    auto const list = machine.metrics();
    if (int const at = models::find_metric(list, metric); at >= 0)
        if (auto const& why = list[static_cast<std::size_t>(at)].absent; !why.empty())
            return fmt::format("{} {}", metric, why);
    auto const value_of = [&](std::size_t at, Scenario const* scenario) {
        auto const* requested = requested_value(scenario, at);
        return requested != nullptr ? *requested : point[at];
    };
    return first_unmet(
        machine, metric,
        [&](models::Need const& need, std::size_t at, Scenario const* scenario) {
            return models::is_met(need, machine.parameters()[at], value_of(at, scenario));
        },
        [&](std::size_t at, Scenario const* scenario) { return shown(machine, at, value_of(at, scenario)); });
}

Axis Axis::permutations(std::size_t items) {
    sim::expects(items >= 1 && items <= 20, "between 1 and 20 items are permuted");
    return {{}, sim::factorial(items)};
}

std::uint64_t Axis::find(models::Value const& value) const {
    if (orderings_ != 0) {
        return value.kind() == models::Kind::permutation && value.as_permutation() < orderings_ ? value.as_permutation()
                                                                                                : orderings_;
    }
    return static_cast<std::uint64_t>(std::find(values_.begin(), values_.end(), value) - values_.begin());
}

std::optional<std::uint64_t> points_of(std::span<Axis const> axes) {
    std::uint64_t points = 1;
    for (auto const& axis : axes) {
        if (__builtin_mul_overflow(points, axis.size(), &points)) return std::nullopt;
    }
    return points;
}

}  // namespace pimdse::dse::space
