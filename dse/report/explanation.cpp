#include "dse/report/explanation.hpp"

#include "dse/report/point_json.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/requested_machine.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <ranges>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

namespace pimdse::dse::report {
namespace {

using models::chips::ChipLink;
using sim::Json;

std::string_view topology_of(ChipLink const& link) {
    return models::chips::topology_names[static_cast<std::size_t>(link.topology)];
}

std::string link_text(std::string_view name, ChipLink const& link) {
    return fmt::format("{}: {}, {}", name, topology_of(link), sim::print_quantity(link.bandwidth.si, "B/s"));
}

Json link_json(std::string_view name, ChipLink const& link) {
    return {{"name", name}, {"topology", topology_of(link)}, {"bandwidth", link.bandwidth.si}};
}

/// Sort key of effects, the best first.
std::tuple<bool, double, double> order_of(Effect const& effect) {
    return {!effect.feasible(), effect.needed_gain.value_or(-std::numeric_limits<double>::infinity()), effect.distance};
}

/// Sum of the shares by which `other` is less than `own`.
double ahead_of(std::span<double const> other, std::span<double const> own) {
    double sum = 0.0;
    for (std::size_t i = 0; i < own.size(); ++i) sum += std::max(0.0, share_below(own[i], other[i]));
    return sum;
}

using models::Kind;
using models::Value;

constexpr std::size_t max_choices = 64;

/// The next smaller and the next larger value. An axis may list its values in any order.
std::vector<Value> neighbouring_values(space::Axis const& axis, Value const& own) {
    std::optional<Value> below, above;
    for (std::uint64_t i = 0; i < axis.size(); ++i) {
        auto const value = axis.at(i);
        if (value < own && (!below || *below < value)) below = value;
        if (own < value && (!above || value < *above)) above = value;
    }
    std::vector<Value> values;
    if (below) values.push_back(*below);
    if (above) values.push_back(*above);
    return values;
}

std::vector<Value> other_choices(space::Axis const& axis, Value const& own) {
    std::vector<Value> values;
    for (std::uint64_t i = 0; i < axis.size() && values.size() < max_choices; ++i) {
        if (axis.at(i) != own) values.push_back(axis.at(i));
    }
    return values;
}

/// Orderings in which two neighbouring items are exchanged. Digit k of a rank is the number of items behind position k
/// that are smaller than the item at k.
std::vector<Value> exchanges(std::size_t items, std::uint64_t rank) {
    std::vector<Value> values;
    for (std::size_t k = 0; k + 1 < items; ++k) {
        std::uint64_t const large = sim::factorial(items - 1 - k), small = sim::factorial(items - 2 - k);
        std::uint64_t const first = rank / large % (items - k), second = rank / small % (items - 1 - k);
        std::uint64_t const rest = rank - first * large - second * small;
        bool const ascending = first <= second;
        values.push_back(Value::permutation(rest + (ascending ? second + 1 : second) * large +
                                            (ascending ? first : first - 1) * small));
    }
    std::ranges::sort(values);
    return values;
}

std::vector<Value> one_step_from(space::Axis const& axis, Value const& own, std::size_t items) {
    switch (own.kind()) {
        case Kind::integer:
        case Kind::quantity:
            return neighbouring_values(axis, own);
        case Kind::permutation:
            return exchanges(items, own.as_permutation());
        default:
            return other_choices(axis, own);
    }
}

bool is_defect(space::Result const& result) { return std::holds_alternative<models::Defect>(result.outcome); }

/// Results of the first tasks, as many as the time limit allows.
std::vector<space::Result> evaluated(ExplainContext const& context, std::vector<space::Task> const& tasks) {
    if (!context.evaluates_changes) return {};
    if (!context.until) return space::results_of(context.space, tasks, context.threads);
    std::vector<space::Result> all;
    while (all.size() < tasks.size() && ExplainContext::Clock::now() < *context.until) {
        auto const begin = tasks.begin() + static_cast<std::ptrdiff_t>(all.size());
        auto const count = std::min<std::ptrdiff_t>(std::max(context.threads, 1), tasks.end() - begin);
        auto some = space::results_of(context.space, {begin, begin + count}, context.threads);
        std::ranges::move(some, std::back_inserter(all));
    }
    return all;
}

void add_effects(ExplainContext const& context, space::PointId point, Explanation& explanation) {
    auto const changes = changes_of(context.space, point);
    explanation.choices_left_out = changes.left_out;
    std::vector<space::Task> missing;
    for (auto const& change : changes.list) {
        space::Task const task{change.point, context.front_view.fidelity()};
        if (!context.store.contains(task)) missing.push_back(task);
    }
    auto found = evaluated(context, missing);
    explanation.changes_not_evaluated = missing.size() - found.size();
    std::size_t next = 0;
    for (auto const& change : changes.list) {
        auto const row = context.store.find({change.point, context.front_view.fidelity()});
        if (!row && next == found.size()) continue;
        auto result = row ? context.store.result(*row) : std::move(found[next++]);
        explanation.effects.push_back(effect_of(context.front_view, change, std::move(result), row.has_value()));
    }
}

/// Breakdowns of a feasible point, one per scenario.
std::vector<Spending> spending_of(space::Machine const& machine, models::Point point, models::Fidelity fidelity) {
    auto const parts_of = [&](models::Point requested) {
        return models::explained(*machine.architecture, machine.inputs, requested, fidelity);
    };
    if (machine.scenarios.empty()) return {{"", parts_of(point)}};
    std::vector<Spending> all;
    for (auto const& scenario : machine.scenarios.list()) {
        if (scenario.traffic != nullptr) continue;  // steps have no breakdown
        all.push_back({scenario.written.name, parts_of(scenario.of(point))});
    }
    return all;
}

/// Adds the margins, the spending and the group of the point, which no store holds.
void add_own_facts(ExplainContext const& context, space::PointId point, Explanation& explanation) {
    if (is_defect(explanation.result)) return;
    auto const& machine = context.space.machines()[context.space.machine_of(point)];
    auto const values = context.space.point(point);
    auto const fidelity = context.front_view.fidelity();
    if (!machine.constraints.empty())
        explanation.margins = margins_of(machine, values, space::evaluate_machine(machine, values, fidelity));
    if (explanation.standing) explanation.spending = spending_of(machine, values, fidelity);
    explanation.group = group_of(*machine.architecture, machine.inputs, values);
}

/// Ids are texts: they may exceed 2^53, and JavaScript would round them.
std::string id_text(space::PointId point) { return fmt::to_string(index_of(point)); }

Json ids_json(std::vector<space::PointId> const& points) { return points | std::views::transform(id_text); }

/// `unit` is the key of the amounts: [{"what": "decode/softmax", "seconds": 0.1}, ...].
Json shares_json(std::vector<models::Share> const& shares, char const* unit) {
    return shares | std::views::transform([unit](models::Share const& share) -> Json {
               return {{"what", share.what}, {unit, share.amount}};
           });
}

Json limits_json(std::vector<models::PhaseLimit> const& limits) {
    return limits | std::views::transform([](models::PhaseLimit const& limit) -> Json {
               return {{"phase", limit.phase},
                       {"limiter", limit.limiter},
                       {"attained", sim::finite_or_null(limit.attained)},
                       {"roof", sim::finite_or_null(limit.roof)},
                       {"unit", limit.unit},
                       {"share", sim::finite_or_null(limit.attained / limit.roof)}};
           });
}

Json front_limit_json(std::optional<FrontLimit> const& limit) {
    if (!limit) return {};
    return {{"by", id_text(limit->by)}, {"at", limit->at}, {"share", sim::finite_or_null(limit->share)}};
}

Json objectives_json(ExplainContext const& context, Explanation const& explanation) {
    auto list = Json::array();
    auto const& objectives = context.front_view.objectives();
    for (std::size_t i = 0; i < objectives.size(); ++i) {
        auto const& metric = context.space.metrics()[objectives[i].metric];
        Json object{
            {"name", metric.name}, {"unit", metric.unit}, {"better", space::name_of_better(objectives[i].better)}};
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
                        {"slack", sim::finite_or_null(margin.slack)}});
        for (auto const& crossing : margin.crossings)
            list.back()["by_estimate_only"].push_back({{"expr", crossing.comparison}, {"beyond", crossing.end}});
    }
    return list;
}

Json extremes_json(ExplainContext const& context, std::vector<Extreme> const& extremes) {
    return extremes | std::views::transform([&](Extreme const& extreme) -> Json {
               auto const& metric = context.space.metrics()[extreme.metric];
               return {{"metric", metric.name},
                       {"unit", metric.unit},
                       {"value", extreme.value},
                       {"share_not_better", extreme.share_as_bad},
                       {"times_best_on_front", sim::finite_or_null(extreme.times_best)},
                       {"best_on_front", sim::finite_or_null(extreme.best)},
                       {"best_point", id_text(extreme.best_point)}};
           });
}

Json effect_json(ExplainContext const& context, Effect const& effect, std::vector<double> const& own) {
    auto const& parameters = context.space.machines()[context.space.machine_of(effect.change.point)].parameters();
    auto const& parameter = parameters[effect.change.parameter];
    Json object{{"parameter", parameter.name},
                {"from", models::value_json(parameter, effect.change.from)},
                {"to", models::value_json(parameter, effect.change.to)},
                {"point", id_text(effect.change.point)},
                {"remembered", effect.restored}};
    add_status(object, effect.result.outcome);
    if (!effect.feasible()) return object;
    for (std::size_t i = 0; i < effect.vector.size(); ++i) {
        object["values"].push_back(context.front_view.as_metric(i, effect.vector[i]));
        if (!own.empty()) object["gains"].push_back(sim::finite_or_null(share_below(own[i], effect.vector[i])));
    }
    object["covered_by"] = effect.dominated_by;
    object["behind"] = effect.needed_gain ? sim::finite_or_null(*effect.needed_gain) : Json();
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

Json spending_json(Spending const& spending) {
    Json object{{"scenario", spending.scenario}};
    object.update(breakdown_json(spending.parts));
    return object;
}

Json entry_json(std::optional<CertificateEntry> const& entry) {
    if (!entry) return {};
    Json object{{"way", name_of(entry->state)}};
    if (entry->by) object["by"] = id_text(*entry->by);
    for (double const best : entry->best) object["best"].push_back(sim::finite_or_null(best));
    return object;
}

}  // namespace

std::optional<NamedGroup> group_of(models::Architecture const& architecture, models::Inputs const& inputs,
                                   models::Point point) {
    auto const& parameters = inputs.parameters;
    int const devices = models::find_parameter(parameters, "devices");
    if (devices < 0 || !inputs.group || architecture.one_of_many.own_link == nullptr) return std::nullopt;
    auto const own = static_cast<std::size_t>(devices);
    if (point[own].as_integer() == 1) return std::nullopt;
    auto const own_link = [&](std::int64_t count) {
        return architecture.one_of_many.own_link(inputs, point.first(own), count);
    };
    // Parameters of a scheduler may follow those of the group.
    auto const group = point.subspan(own, models::chips::group_parameters().size());
    auto const read = models::chips::read_group(inputs, group, own_link);
    if (std::holds_alternative<models::Infeasible>(read)) return std::nullopt;
    auto const value = [&](std::string_view name) {
        auto const at = static_cast<std::size_t>(models::find_parameter(parameters, name));
        return models::print_value(parameters[at], point[at]);
    };
    NamedGroup named{std::get<models::chips::DeviceGroup>(read), value("link"), value("stage_link")};
    if (named.stage_link == "link") named.stage_link = named.link;
    return named;
}

std::string group_text(NamedGroup const& named) {
    auto const& g = named.group;
    std::vector<std::string> parts;
    for (auto const& [count, what] :
         {std::pair(g.data, "copies"), {g.pipeline, "stages"}, {g.expert, "expert"}, {g.tensor * g.joined, "tensor"}})
        if (count > 1) parts.push_back(fmt::format("{} {}", count, what));
    auto text = fmt::format("{} devices: {}", g.devices, fmt::join(parts, " x "));
    if (g.micro_batches > 1) text += fmt::format(", {} micro-batches", g.micro_batches);
    if (g.tensor * g.joined * g.expert > 1) text += "; link " + link_text(named.link, g.link);
    if (g.pipeline > 1) text += "; between stages " + link_text(named.stage_link, g.stage_link);
    return text;
}

Json group_json(NamedGroup const& named) {
    auto const& g = named.group;
    return {{"devices", g.devices},
            {"tensor", g.tensor * g.joined},
            {"pipeline", g.pipeline},
            {"expert", g.expert},
            {"data", g.data},
            {"micro_batches", g.micro_batches},
            {"link", link_json(named.link, g.link)},
            {"stage_link", link_json(named.stage_link, g.stage_link)}};
}

Effect effect_of(FrontView const& front_view, Change const& change, space::Result result, bool restored) {
    Effect effect{change, std::move(result), restored, {}, 0, std::nullopt};
    auto const* metrics = std::get_if<models::Metrics>(&effect.result.outcome);
    if (metrics == nullptr) return effect;
    effect.vector = front_view.vector_of(*metrics);
    for (auto const at : front_view.front()) {
        if (front_view.id(at) == change.point) continue;
        double const lead = lead_of(front_view.vector(at), effect.vector);
        bool const equal = std::ranges::equal(front_view.vector(at), effect.vector);
        if (lead >= 0.0 && !(equal && change.point < front_view.id(at))) ++effect.dominated_by;
        double const ahead = ahead_of(front_view.vector(at), effect.vector);
        effect.distance = effect.needed_gain ? std::min(effect.distance, ahead) : ahead;
        effect.needed_gain = effect.needed_gain ? std::max(*effect.needed_gain, lead) : lead;
    }
    return effect;
}

std::vector<std::size_t> best_of_each_parameter(std::span<Effect const> effects) {
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < effects.size(); ++i) {
        bool const same = !best.empty() && effects[best.back()].change.parameter == effects[i].change.parameter;
        if (!same)
            best.push_back(i);
        else if (order_of(effects[i]) < order_of(effects[best.back()]))
            best.back() = i;
    }
    return best;
}

std::optional<std::size_t> max_gain(std::span<Effect const> effects, std::size_t objective,
                                    std::span<double const> than) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < effects.size(); ++i) {
        if (!effects[i].feasible() || effects[i].vector[objective] >= than[objective]) continue;
        if (!best || effects[i].vector[objective] < effects[*best].vector[objective]) best = i;
    }
    return best;
}

Changes changes_of(space::Space const& space, space::PointId point) {
    std::size_t const at = space.machine_of(point);
    auto const& machine = space.machines()[at];
    auto values = space.point(point);
    Changes changes;
    for (auto const p : machine.designed()) {
        auto const own = values[p];
        auto const others = one_step_from(machine.axes[p], own, machine.parameters()[p].items.size());
        for (auto const& other : others) {
            values[p] = other;
            changes.list.push_back({p, own, other, space::PointId{space.first_of(at) + machine.encode(values)}});
        }
        values[p] = own;
        bool const unordered = own.kind() == Kind::choice || own.kind() == Kind::flag;
        if (unordered) changes.left_out += machine.axes[p].size() - 1 - others.size();
    }
    return changes;
}

Explanation explanation_of(ExplainContext const& context, space::PointId point) {
    space::Task const task{point, context.front_view.fidelity()};
    auto const row = context.store.find(task);
    Explanation explanation;
    explanation.restored = row.has_value();
    explanation.result = row ? context.store.result(*row) : space::evaluate(context.space, task);
    if (auto const* metrics = std::get_if<models::Metrics>(&explanation.result.outcome)) {
        explanation.vector = context.front_view.vector_of(*metrics);
        explanation.standing = standing_of(context.front_view, point, explanation.vector);
        explanation.extremes = extremes_of(context.space, context.store, context.front_view, point, *metrics);
    }
    add_own_facts(context, point, explanation);
    add_effects(context, point, explanation);
    if (context.certificate != nullptr)
        explanation.certificate_entry = certificate_entry_of(*context.certificate, context.store, point);
    return explanation;
}

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
    add_status(object, explanation.result.outcome);
    object["parameters"] = report::point_json(context.space, point);
    object["objectives"] = objectives_json(context, explanation);
    if (auto const& standing = explanation.standing) {
        object["on_front"] = standing->on_front;
        object["witnesses"] = ids_json(standing->dominators);
        object["covers"] = standing->dominates;
        object["rivals"] = ids_json(standing->rivals);
        object["behind"] = standing->needed_gain ? sim::finite_or_null(*standing->needed_gain) : Json();
    }
    object["extremes"] = extremes_json(context, explanation.extremes);
    object["constraints"] = margins_json(explanation.margins);
    object["changes"] = changes_json(context, explanation);
    object["choices_left_out"] = explanation.choices_left_out;
    object["changes_not_answered"] = explanation.changes_not_evaluated;
    object["breakdown"] = explanation.spending | std::views::transform(spending_json);
    if (explanation.group) object["group"] = group_json(*explanation.group);
    object["certificate"] = entry_json(explanation.certificate_entry);
    return object;
}

}  // namespace pimdse::dse::report
