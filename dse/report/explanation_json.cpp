#include "dse/report/explanation_json.hpp"

#include "dse/base/json_text.hpp"
#include "dse/report/point_json.hpp"

#include <fmt/format.h>

namespace pimdse::dse::report {
namespace {

using sim::Json;

/// Ids are texts: they may exceed 2^53, and JavaScript would round them.
std::string id_text(space::PointId point) { return fmt::to_string(index_of(point)); }

Json ids_json(std::vector<space::PointId> const& points) {
    auto list = Json::array();
    for (auto const point : points) list.push_back(id_text(point));
    return list;
}

/// `unit` is the key of the amounts: [{"what": "decode/softmax", "seconds": 0.1}, ...].
Json shares_json(std::vector<models::Share> const& shares, char const* unit) {
    auto list = Json::array();
    for (auto const& share : shares) list.push_back({{"what", share.what}, {unit, share.amount}});
    return list;
}

Json limits_json(std::vector<models::PhaseLimit> const& limits) {
    auto list = Json::array();
    for (auto const& limit : limits)
        list.push_back({{"phase", limit.phase},
                        {"limiter", limit.limiter},
                        {"attained", base::finite_or_null(limit.attained)},
                        {"roof", base::finite_or_null(limit.roof)},
                        {"unit", limit.unit},
                        {"share", base::finite_or_null(limit.attained / limit.roof)}});
    return list;
}

Json front_limit_json(std::optional<FrontLimit> const& limit) {
    if (!limit) return {};
    return {{"by", id_text(limit->by)}, {"at", limit->at}, {"share", base::finite_or_null(limit->share)}};
}

Json objectives_json(ExplainContext const& context, Explanation const& explanation) {
    auto list = Json::array();
    auto const& objectives = context.front_view.objectives();
    for (std::size_t i = 0; i < objectives.size(); ++i) {
        auto const& metric = context.space.metrics()[objectives[i].metric];
        Json object{{"name", metric.name},
                    {"unit", metric.unit},
                    {"better", objectives[i].better == models::Sense::maximize ? "higher" : "lower"}};
        if (explanation.standing) {
            object["value"] = context.front_view.as_metric(i, explanation.vector[i]);
            object["turn"] = front_limit_json(explanation.standing->front_limits[i]);
        }
        list.push_back(std::move(object));
    }
    return list;
}

Json margins_json(std::vector<Margin> const& margins) {
    auto list = Json::array();
    for (auto const& margin : margins) {
        list.push_back({{"name", margin.name},
                        {"expr", margin.text},
                        {"holds", margin.known ? Json(margin.holds) : Json()},
                        {"slack", base::finite_or_null(margin.slack)}});
        for (auto const& crossing : margin.crossings)
            list.back()["by_estimate_only"].push_back({{"expr", crossing.comparison}, {"beyond", crossing.end}});
    }
    return list;
}

Json extremes_json(ExplainContext const& context, std::vector<Extreme> const& extremes) {
    auto list = Json::array();
    for (auto const& extreme : extremes) {
        auto const& metric = context.space.metrics()[extreme.metric];
        list.push_back({{"metric", metric.name},
                        {"unit", metric.unit},
                        {"value", extreme.value},
                        {"share_not_better", extreme.share_as_bad},
                        {"times_best_on_front", base::finite_or_null(extreme.times_best)},
                        {"best_on_front", base::finite_or_null(extreme.best)},
                        {"best_point", id_text(extreme.best_point)}});
    }
    return list;
}

/// Status, rule and reason of a result.
void add_status(Json& object, space::Result const& result) {
    object["status"] = search::name_of(search::status_of(result.outcome));
    if (auto const* infeasible = std::get_if<models::Infeasible>(&result.outcome)) {
        object["rule"] = infeasible->rule;
        object["reason"] = infeasible->reason;
    }
    if (auto const* defect = std::get_if<models::Defect>(&result.outcome)) object["reason"] = defect->what;
}

Json effect_json(ExplainContext const& context, Effect const& effect, std::vector<double> const& own) {
    auto const& parameters = context.space.machines()[context.space.machine_of(effect.change.point)].parameters();
    auto const& parameter = parameters[effect.change.parameter];
    Json object{{"parameter", parameter.name},
                {"from", base::value_json(parameter, effect.change.from)},
                {"to", base::value_json(parameter, effect.change.to)},
                {"point", id_text(effect.change.point)},
                {"remembered", effect.restored}};
    add_status(object, effect.result);
    if (!effect.feasible()) return object;
    for (std::size_t i = 0; i < effect.vector.size(); ++i) {
        object["values"].push_back(context.front_view.as_metric(i, effect.vector[i]));
        if (!own.empty()) object["gains"].push_back(base::finite_or_null(share_below(own[i], effect.vector[i])));
    }
    object["covered_by"] = effect.dominated_by;
    object["behind"] = effect.needed_gain ? base::finite_or_null(*effect.needed_gain) : Json();
    return object;
}

Json changes_json(ExplainContext const& context, Explanation const& explanation) {
    auto list = Json::array();
    for (auto const& effect : explanation.effects) {
        list.push_back(effect_json(context, effect, explanation.vector));
        list.back()["best"] = false;
    }
    for (auto const best : best_of_each_parameter(explanation.effects)) list[best]["best"] = true;
    return list;
}

Json spending_json(std::vector<Spending> const& spending) {
    auto list = Json::array();
    for (auto const& one : spending) {
        Json object{{"scenario", one.scenario}};
        object.update(breakdown_json(one.parts));
        list.push_back(std::move(object));
    }
    return list;
}

Json entry_json(std::optional<CertificateEntry> const& entry) {
    if (!entry) return {};
    Json object{{"way", name_of(entry->state)}};
    if (entry->by) object["by"] = id_text(*entry->by);
    for (double const best : entry->best) object["best"].push_back(base::finite_or_null(best));
    return object;
}

}  // namespace

Json breakdown_json(models::Breakdown const& breakdown) {
    return {{"time", shares_json(breakdown.time, "seconds")},
            {"energy", shares_json(breakdown.energy, "joules")},
            {"area", shares_json(breakdown.area, "square_metres")},
            {"silicon", shares_json(breakdown.silicon, "square_metres")},
            {"limits", limits_json(breakdown.limits)}};
}

Json explanation_json(ExplainContext const& context, Explanation const& explanation) {
    auto const point = explanation.result.task.point;
    Json object{{"point", id_text(point)},
                {"fidelity", models::name_of(context.front_view.fidelity())},
                {"remembered", explanation.restored}};
    add_status(object, explanation.result);
    object["parameters"] = report::point_json(context.space, point);
    object["objectives"] = objectives_json(context, explanation);
    if (auto const& standing = explanation.standing) {
        object["on_front"] = standing->on_front;
        object["witnesses"] = ids_json(standing->dominators);
        object["covers"] = standing->dominates;
        object["rivals"] = ids_json(standing->rivals);
        object["behind"] = standing->needed_gain ? base::finite_or_null(*standing->needed_gain) : Json();
    }
    object["extremes"] = extremes_json(context, explanation.extremes);
    object["constraints"] = margins_json(explanation.margins);
    object["changes"] = changes_json(context, explanation);
    object["choices_left_out"] = explanation.choices_left_out;
    object["changes_not_answered"] = explanation.changes_not_evaluated;
    object["breakdown"] = spending_json(explanation.spending);
    if (explanation.group) object["group"] = group_json(*explanation.group);
    object["certificate"] = entry_json(explanation.certificate_entry);
    return object;
}

}  // namespace pimdse::dse::report
