#include "dse/served/answer_text.hpp"

#include "dse/front/front.hpp"
#include "dse/served/point_reader.hpp"
#include "dse/task/value_json.hpp"

#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>

namespace pimdse::dse::served {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t most_values = 1000;

ordered_json metrics_json(models::MetricList const& names, models::Metrics const& metrics) {
    ordered_json values = ordered_json::object();
    for (std::size_t m = 0; m < metrics.size(); ++m)
        values[names[m].name] = std::isfinite(metrics[m].value) ? ordered_json(metrics[m].value) : ordered_json();
    return values;
}

std::string_view name_of(models::Sense sense) {
    if (sense == models::Sense::none) return "none";
    return sense == models::Sense::minimize ? "minimize" : "maximize";
}

ordered_json parameter_json(space::Machine const& machine, std::size_t place) {
    auto const& parameter = machine.parameters()[place];
    auto const& axis = machine.axes[place];
    ordered_json said{{"name", parameter.name}, {"unit", parameter.unit}, {"count", axis.size()}};
    if (axis.size() > most_values) return said;
    for (std::uint64_t i = 0; i < axis.size(); ++i) said["values"].push_back(task::value_json(parameter, axis.at(i)));
    return said;
}

ordered_json machine_json(space::Machine const& machine) {
    ordered_json said{{"name", machine.name}, {"architecture", machine.architecture->name}};
    said["parameters"] = ordered_json::array();
    for (auto const i : machine.designed()) said["parameters"].push_back(parameter_json(machine, i));
    return said;
}

}  // namespace

ordered_json outcome_json(models::MetricList const& metrics, models::Outcome const& outcome) {
    ordered_json said{{"status", answers::name_of(answers::status_of(outcome))}};
    if (auto const* feasible = std::get_if<models::Metrics>(&outcome))
        said["metrics"] = metrics_json(metrics, *feasible);
    if (auto const* infeasible = std::get_if<models::Infeasible>(&outcome)) {
        said["rule"] = infeasible->rule;
        said["reason"] = infeasible->reason;
    }
    if (auto const* defect = std::get_if<models::Defect>(&outcome)) said["reason"] = defect->what;
    return said;
}

ordered_json answer_json(models::MetricList const& metrics, task::Answer const& answer) {
    ordered_json said{{"id", fmt::to_string(index_of(answer.task.point))}};
    said.update(outcome_json(metrics, answer.outcome));
    return said;
}

ordered_json space_json(space::Space const& space) {
    ordered_json said{{"points", fmt::to_string(space.size())},
                      {"fidelity", models::name_of(space.search().fidelity)},
                      {"machines", ordered_json::array()},
                      {"metrics", ordered_json::array()},
                      {"objectives", ordered_json::array()}};
    for (auto const& machine : space.machines()) said["machines"].push_back(machine_json(machine));
    for (auto const& metric : space.metrics())
        said["metrics"].push_back({{"name", metric.name}, {"unit", metric.unit}, {"meaning", metric.meaning}});
    for (auto const& objective : space.objectives())
        said["objectives"].push_back(
            {{"name", space.metrics()[objective.metric].name}, {"better", name_of(objective.better)}});
    return said;
}

ordered_json front_json(space::Space const& space, answers::ResultStore const& store) {
    auto const archive = front::front_of(store, space.objectives());
    auto list = ordered_json::array();
    for (auto const& member : archive.members()) {
        auto const row = store.find({member.point, store.finest()});
        if (!row) continue;
        auto said = answer_json(space.metrics(), store.answer(*row));
        said["point"] = point_json(space, member.point);
        list.push_back(std::move(said));
    }
    return {{"fidelity", models::name_of(store.finest())}, {"front", std::move(list)}};
}

}  // namespace pimdse::dse::served
