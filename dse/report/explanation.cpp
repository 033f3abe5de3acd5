#include "dse/report/explanation.hpp"

#include "dse/run/evaluation.hpp"
#include "dse/space/requested_machine.hpp"
#include "models/contract/architecture.hpp"
#include "sim/base/counting.hpp"

#include <iterator>
#include <tuple>
#include <utility>

namespace pimdse::dse::report {
namespace {

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
    if (!context.until) return run::results_of(context.space, tasks, context.threads);
    std::vector<space::Result> all;
    while (all.size() < tasks.size() && ExplainContext::Clock::now() < *context.until) {
        auto const begin = tasks.begin() + static_cast<std::ptrdiff_t>(all.size());
        auto const count = std::min<std::ptrdiff_t>(std::max(context.threads, 1), tasks.end() - begin);
        auto some = run::results_of(context.space, {begin, begin + count}, context.threads);
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
        std::vector<models::Value> requested(point.begin(), point.end());
        for (auto const& [parameter, value] : scenario.asks) requested[parameter] = value;
        all.push_back({scenario.written.name, parts_of(requested)});
    }
    return all;
}

/// Adds the margins, the spending and the group of the point, which no store holds.
void add_own_facts(ExplainContext const& context, space::PointId point, Explanation& explanation) {
    if (is_defect(explanation.result)) return;
    auto const& machine = context.space.machines()[context.space.machine_of(point)];
    std::vector<models::Value> values;
    context.space.decode(point, values);
    auto const fidelity = context.front_view.fidelity();
    if (!machine.constraints.empty())
        explanation.margins = margins_of(machine, values, space::evaluate_machine(machine, values, fidelity));
    if (explanation.standing) explanation.spending = spending_of(machine, values, fidelity);
    explanation.group = group_of(*machine.architecture, machine.inputs, values);
}

}  // namespace

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
    std::vector<Value> values;
    space.decode(point, values);
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
    explanation.result = row ? context.store.result(*row) : run::evaluate(context.space, task);
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

}  // namespace pimdse::dse::report
