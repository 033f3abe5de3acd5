#include "dse/report/point_json.hpp"

#include "dse/search/front.hpp"
#include "dse/store/result_schema.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/parameter.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <ranges>
#include <string>

namespace pimdse::dse::report {
namespace {

using models::Kind;
using models::Value;
using sim::InputError;
using sim::Json;

/// The text of a value, shortened for messages.
std::string shown(Json const& given) {
    constexpr std::size_t max = 60;
    auto text = given.dump();
    return text.size() <= max ? text : std::string(sim::beginning(text, max)) + "...";
}

/// Reads a text; the message of an error names the parameter.
Value value_of_text(models::Parameter& parameter, std::string const& text) {
    try {
        return models::read_value(parameter, text, models::Takes::point_of_many);
    } catch (InputError const& wrong) {
        std::string const what = wrong.what();
        if (what.find(parameter.name) != std::string::npos) throw;
        throw InputError("{}: {}", parameter.name, what);
    }
}

/// "256" for 256 and for 256.0: other languages may write integers either way.
std::string number_text(Json const& given) {
    return given.is_number_float() ? fmt::format("{}", given.get<double>()) : given.dump();
}

/// A number for a quantity is in SI. All other values are read as text.
Value value_of(models::Parameter& parameter, Json const& given) {
    if (given.is_string()) return value_of_text(parameter, given.get<std::string>());
    if (given.is_array()) return value_of_text(parameter, shown(given));
    if (parameter.kind == Kind::quantity && given.is_number()) return Value::quantity(given.get<double>());
    if (parameter.kind == Kind::flag && given.is_boolean()) return value_of_text(parameter, given.dump());
    if (parameter.kind != Kind::quantity && given.is_number()) return value_of_text(parameter, number_text(given));
    throw InputError("{} = {} is not accepted (it must be {})", parameter.name, shown(given), accepted_text(parameter));
}

std::size_t machine_of(space::Space const& space, Json const& given) {
    auto const& machines = space.machines();
    if (machines.size() == 1) return 0;
    auto const names = sim::names_of(machines);
    auto const name =
        given.contains("machine") && given.at("machine").is_string()
            ? given.at("machine").get<std::string>()
            : throw InputError("the point does not name its machine (machine = {})", fmt::join(names, ", "));
    auto const found = std::ranges::find(names, name);
    if (found == names.end()) throw InputError("the space has no machine '{}'.{}", name, sim::suggestion(name, names));
    return static_cast<std::size_t>(found - names.begin());
}

[[noreturn]] void refuse(models::Parameters const& parameters, std::string const& name) {
    throw InputError(models::unknown_parameter(name, parameters));
}

void refuse_unknown(space::Space const& space, space::Machine const& machine, Json const& given) {
    for (auto const& [name, _] : given.items()) {
        bool const known = models::find_parameter(machine.parameters(), name) >= 0;
        if (!known && !(name == "machine" && space.machines().size() > 1)) refuse(machine.parameters(), name);
    }
}

/// Reads a value and checks its range; reading texts and integers checks it already.
Value checked_value(models::Parameter& parameter, Json const& given) {
    auto const value = value_of(parameter, given);
    bool const limited = parameter.lower != 0.0 || parameter.upper != 0.0;
    if (given.is_string() || !limited || value.kind() != Kind::quantity) return value;
    if (value.as_quantity() >= parameter.lower && value.as_quantity() <= parameter.upper) return value;
    throw InputError("{} = {} is out of range (it must lie in {:.12g}..{:.12g} in SI)", parameter.name, shown(given),
                     parameter.lower, parameter.upper);
}

/// Orderings on an axis of all orderings are read by rank, because they are not listed as choices.
Value value_on(space::Axis const& axis, models::Parameter parameter, Json const& given) {
    bool const ordering = axis.at(0).kind() == Kind::permutation && given.is_string();
    return ordering ? Value::permutation(models::permutation_rank(parameter, given.get<std::string>()))
                    : value_of(parameter, given);
}

[[noreturn]] void refuse_repeated(models::Parameter const& parameter) {
    throw InputError("{} is given twice", parameter.name);
}

double number_in(Value const& value) { return models::Expression::number_of(value, 1.0); }

/// The number on an axis that is nearest to `value`; nullopt for names.
std::optional<Value> nearest(space::Axis const& axis, Value const& value) {
    if (value.kind() != Kind::integer && value.kind() != Kind::quantity) return std::nullopt;
    auto best = axis.at(0);
    auto const distance = [&](Value const& at) { return std::abs(number_in(at) - number_in(value)); };
    for (std::uint64_t i = 1; i < axis.size(); ++i) best = distance(axis.at(i)) < distance(best) ? axis.at(i) : best;
    return best;
}

/// The value on an axis that a request means: equal, or equal but for the rounding of a computation (0.1 + 0.2).
Value met(space::Axis const& axis, models::Parameter const& parameter, Value const& value, Json const& given) {
    if (axis.find(value) < axis.size()) return value;
    constexpr double rounding = 1e-12;
    auto const close = nearest(axis, value);
    bool const same = close && value.kind() == Kind::quantity &&
                      std::abs(number_in(*close) - number_in(value)) <= rounding * std::abs(number_in(value));
    if (same) return *close;
    throw InputError("{} = {} is not in the space{}", parameter.name, shown(given),
                     close ? fmt::format(" (the nearest value is {})", models::print_value(parameter, *close)) : "");
}

Value chosen(space::Axis const& axis, models::Parameter const& parameter, Json const& given) {
    auto name = parameter.name;
    for (auto const& alias : parameter.aliases) {
        if (!given.contains(alias)) continue;
        if (given.contains(name)) refuse_repeated(parameter);
        name = alias;
    }
    if (!given.contains(name)) {
        if (axis.size() == 1) return axis.at(0);
        throw InputError("the point has no value of {}, which has {} values in the space", parameter.name, axis.size());
    }
    return met(axis, parameter, value_on(axis, parameter, given.at(name)), given.at(name));
}

constexpr std::uint64_t max_values = 1000;

Json metrics_json(models::MetricList const& names, models::Metrics const& metrics) {
    Json values = Json::object();
    for (std::size_t m = 0; m < metrics.size(); ++m) values[names[m].name] = sim::finite_or_null(metrics[m].value);
    return values;
}

Json parameter_json(space::Machine const& machine, std::size_t place) {
    auto const& parameter = machine.parameters()[place];
    auto const& axis = machine.axes[place];
    Json object{{"name", parameter.name}, {"unit", parameter.unit}, {"count", axis.size()}};
    if (axis.size() > max_values) return object;
    for (std::uint64_t i = 0; i < axis.size(); ++i)
        object["values"].push_back(models::value_json(parameter, axis.at(i)));
    return object;
}

Json space_machine_json(space::Machine const& machine) {
    return {{"name", machine.name},
            {"architecture", machine.architecture->name},
            {"parameters",
             machine.designed() | std::views::transform([&](std::size_t i) { return parameter_json(machine, i); })}};
}

/// JSON has no number that is not finite.
Json share(std::uint64_t draws, search::RobustFront const& front) {
    return static_cast<double>(draws) / static_cast<double>(front.draws.size());
}

Json constants_json(search::RobustFront const& front) {
    auto list = Json::array();
    for (std::size_t c = 0; c < front.constants.size(); ++c) {
        auto const& constant = front.constants[c];
        list.push_back({{"name", constant.name},
                        {"unit", constant.unit},
                        {"nominal", constant.nominal},
                        {"lower", constant.lower},
                        {"upper", constant.upper},
                        {"distribution", name_of(constant.distribution)},
                        {"source", constant.source},
                        {"effective", static_cast<bool>(front.effective[c])}});
    }
    return list;
}

Json design_json(search::RobustFront const& front, search::RobustDesign const& design) {
    Json quantiles = Json::object();
    for (std::size_t o = 0; o < front.objectives.size(); ++o)
        quantiles[front.objectives[o]] = design.quantiles[o] | std::views::transform(sim::finite_or_null);
    return {{"point", std::to_string(index_of(design.point))},
            {"now", design.now},
            {"certain", design.certain},
            {"front_share", share(design.draws_on_front, front)},
            {"regret", sim::finite_or_null(design.regret)},
            {"quantiles", std::move(quantiles)}};
}

Json standing_json(search::RobustFront const& front, search::MachineStanding const& machine) {
    Json best = Json::object();
    for (std::size_t o = 0; o < front.objectives.size(); ++o)
        best[front.objectives[o]] = share(machine.draws_best[o], front);
    return {{"machine", machine.name},
            {"front_share", share(machine.draws_on_front, front)},
            {"infeasible_share", share(machine.draws_infeasible, front)},
            {"best_share", std::move(best)}};
}

Json machine_flip_json(search::RobustFront const& front, search::MachineFlip const& flip) {
    auto const& constant = front.constants[flip.constant];
    return {{"constant", constant.name},
            {"unit", constant.unit},
            {"nominal", constant.nominal},
            {"break_even", flip.break_even},
            {"objective", front.objectives[flip.objective]},
            {"before", front.machines[flip.before].name},
            {"after", front.machines[flip.after].name},
            {"old_best", std::to_string(index_of(flip.old_best))},
            {"new_best", std::to_string(index_of(flip.new_best))},
            {"old_value", sim::finite_or_null(flip.old_value)},
            {"new_value", sim::finite_or_null(flip.new_value)}};
}

}  // namespace

space::PointId read_point(space::Space const& space, Json const& given) {
    if (!given.is_object()) throw InputError("{} is not a point (an object of parameters)", shown(given));
    auto const place = machine_of(space, given);
    auto const& machine = space.machines()[place];
    refuse_unknown(space, machine, given);
    std::vector<Value> point;
    for (std::size_t i = 0; i < machine.axes.size(); ++i)
        point.push_back(chosen(machine.axes[i], machine.parameters()[i], given));
    return space::PointId{space.first_of(place) + machine.encode(point)};
}

std::vector<Value> read_free_point(models::Parameters& parameters, models::Point base, Json const& given) {
    if (!given.is_object()) throw InputError("{} is not a point (an object of parameters)", shown(given));
    std::vector<Value> point(base.begin(), base.end());
    std::vector<bool> known(point.size(), false);
    for (auto const& [name, value] : given.items()) {
        int const at = models::find_parameter(parameters, name);
        if (at < 0) refuse(parameters, name);
        auto const place = static_cast<std::size_t>(at);
        if (known[place]) refuse_repeated(parameters[place]);
        known[place] = true;
        point[place] = checked_value(parameters[place], value);
    }
    return point;
}

space::PointId read_id(space::Space const& space, Json const& given) {
    std::string const text = given.is_string() ? given.get<std::string>() : given.is_number() ? number_text(given) : "";
    auto const id = sim::number_in<std::uint64_t>(text);
    if (!id || *id >= space.size())
        throw InputError("{} is not an id of the space (\"0\" to \"{}\")", shown(given), space.size() - 1);
    return space::PointId{*id};
}

sim::Json point_json(space::Space const& space, space::PointId id) {
    auto const point = space.point(id);
    auto const& machine = space.machines()[space.machine_of(id)];
    sim::Json values;
    if (space.machines().size() > 1) values["machine"] = machine.name;
    for (auto const i : machine.designed()) {
        auto const& parameter = machine.parameters()[i];
        values[parameter.name] = models::value_json(parameter, point[i]);
    }
    return values;
}

Json outcome_json(models::MetricList const& metrics, models::Outcome const& outcome) {
    Json object;
    add_status(object, outcome);
    if (auto const* feasible = std::get_if<models::Metrics>(&outcome))
        object["metrics"] = metrics_json(metrics, *feasible);
    return object;
}

void add_status(Json& object, models::Outcome const& outcome) {
    object["status"] = search::name_of(search::status_of(outcome));
    if (auto const* infeasible = std::get_if<models::Infeasible>(&outcome)) {
        object["rule"] = infeasible->rule;
        object["reason"] = infeasible->reason;
    }
    if (auto const* defect = std::get_if<models::Defect>(&outcome)) object["reason"] = defect->what;
}

Json result_json(models::MetricList const& metrics, space::Result const& result) {
    Json object{{"id", fmt::to_string(index_of(result.task.point))}};
    object.update(outcome_json(metrics, result.outcome));
    return object;
}

Json space_json(space::Space const& space) {
    auto const metric_json = [](models::Metric const& metric) -> Json {
        return {{"name", metric.name}, {"unit", metric.unit}, {"meaning", metric.meaning}};
    };
    auto const objective_json = [&](space::Objective const& one) -> Json {
        return {{"name", space.metrics()[one.metric].name}, {"better", store::schema::name_of(one.better)}};
    };
    return {{"points", fmt::to_string(space.size())},
            {"fidelity", models::name_of(space.search().fidelity)},
            {"machines", space.machines() | std::views::transform(space_machine_json)},
            {"metrics", space.metrics() | std::views::transform(metric_json)},
            {"objectives", space.objectives() | std::views::transform(objective_json)}};
}

Json front_json(space::Space const& space, search::ResultStore const& store) {
    auto const archive = search::front_of(store, space.objectives());
    auto list = Json::array();
    for (auto const& member : archive.members()) {
        auto const row = store.find({member.point, store.finest()});
        if (!row) continue;
        auto object = result_json(space.metrics(), store.result(*row));
        object["point"] = point_json(space, member.point);
        list.push_back(std::move(object));
    }
    return {{"fidelity", models::name_of(store.finest())}, {"front", std::move(list)}};
}

search::RobustDesign const* find_design(search::RobustFront const& front, space::PointId point) {
    auto const found = std::ranges::lower_bound(front.designs, point, {}, &search::RobustDesign::point);
    return found == front.designs.end() || found->point != point ? nullptr : &*found;
}

Json robust_json(search::RobustFront const& front) {
    auto const each = [&](auto const& list, auto const& json_of) -> Json {
        return list | std::views::transform([&](auto const& one) -> Json { return json_of(front, one); });
    };
    auto const decision_json = [](auto const&, search::Decision const& one) -> Json {
        return {{"machine", one.machine}, {"parameter", one.parameter}, {"value", one.value}};
    };
    return {{"statement", front.statement},
            {"draws", front.draws.size()},
            {"seed", front.seed},
            {"refused_draws", front.refused_draws},
            {"objectives", front.objectives},
            {"remarks", front.remarks},
            {"ends_proved", front.not_stated.empty()},
            {"not_stated", front.not_stated},
            {"considered", front.designs_considered},
            {"excluded", front.designs_excluded},
            {"possible", front.possible.size()},
            {"constants", constants_json(front)},
            {"designs", each(front.designs, design_json)},
            {"machines", each(front.machines, standing_json)},
            {"decisions", each(front.decisions, decision_json)},
            {"flips", each(front.flips, machine_flip_json)}};
}

Json point_study_json(search::RobustFront const& front, space::PointId point, search::PointStudy const& study) {
    auto const* design = find_design(front, point);
    Json json{{"front_share", design == nullptr ? Json(0.0) : share(design->draws_on_front, front)},
              {"tornado", Json::array()},
              {"leaves_front", nullptr}};
    for (auto const& row : study.tornado) {
        auto const& constant = front.constants[row.constant];
        auto objectives = Json::array();
        for (std::size_t o = 0; o < study.nominal.size(); ++o) {
            objectives.push_back({{"name", front.objectives[o]},
                                  {"nominal", study.nominal[o]},
                                  {"at_lower", row.at_lower ? Json((*row.at_lower)[o]) : Json(nullptr)},
                                  {"at_upper", row.at_upper ? Json((*row.at_upper)[o]) : Json(nullptr)}});
        }
        json["tornado"].push_back({{"constant", constant.name},
                                   {"unit", constant.unit},
                                   {"nominal", constant.nominal},
                                   {"lower", constant.lower},
                                   {"upper", constant.upper},
                                   {"objectives", std::move(objectives)}});
    }
    if (study.departures.empty()) return json;
    auto const& first = study.departures.front();
    auto const& constant = front.constants[first.constant];
    json["leaves_front"] = {
        {"constant", constant.name},
        {"unit", constant.unit},
        {"value", first.value},
        {"nominal", constant.nominal},
        {"change", first.value / constant.nominal - 1.0},
        {"dominated_by", first.dominated_by ? Json(std::to_string(index_of(*first.dominated_by))) : Json(nullptr)}};
    return json;
}

}  // namespace pimdse::dse::report
