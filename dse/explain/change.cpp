#include "dse/explain/change.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <optional>

namespace pimdse::dse::explain {
namespace {

using models::Kind;
using models::Value;

constexpr std::size_t most_choices = 64;

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
    for (std::uint64_t i = 0; i < axis.size() && values.size() < most_choices; ++i) {
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

Changes changes_of(space::Space const& space, task::PointId point) {
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
            changes.list.push_back({p, own, other, task::PointId{space.first_of(at) + machine.encode(values)}});
        }
        values[p] = own;
        bool const unordered = own.kind() == Kind::choice || own.kind() == Kind::flag;
        if (unordered) changes.left_out += machine.axes[p].size() - 1 - others.size();
    }
    return changes;
}

}  // namespace pimdse::dse::explain
