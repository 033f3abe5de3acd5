#include "dse/report/effect.hpp"

#include "dse/report/explanation.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

namespace pimdse::dse::report {
namespace {

/// What comes first is better.
std::tuple<bool, double, double> order_of(Effect const& effect) {
    return {!effect.feasible(), effect.behind.value_or(-std::numeric_limits<double>::infinity()), effect.distance};
}

/// By which shares of `own` the other is less, added up.
double ahead_of(std::span<double const> other, std::span<double const> own) {
    double sum = 0.0;
    for (std::size_t i = 0; i < own.size(); ++i) sum += std::max(0.0, share_below(own[i], other[i]));
    return sum;
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
        effect.distance = effect.behind ? std::min(effect.distance, ahead) : ahead;
        effect.behind = effect.behind ? std::max(*effect.behind, lead) : lead;
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

namespace {

using models::Kind;
using models::Value;

constexpr std::size_t max_choices = 64;

/// The next smaller and the next larger value; a space may list them in any order.
std::vector<Value> beside(space::Axis const& axis, Value const& own) {
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

/// Orderings in which two neighbouring items are exchanged. Digit k of a rank counts the items after place k that come
/// before the one at k.
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
            return beside(axis, own);
        case Kind::permutation:
            return exchanges(items, own.as_permutation());
        default:
            return other_choices(axis, own);
    }
}

}  // namespace

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

}  // namespace pimdse::dse::report
