#include "dse/space/cycle_keys.hpp"

#include <vector>

namespace pimdse::dse::space {
namespace {

using models::CycleKeyMaker;

void add_design(CycleKeyMaker& key, Machine const& machine, models::Point point) {
    auto const own = machine.architecture->cycle_key(machine.inputs, point);
    key.add(own.high).add(own.low);
}

/// The point as each scenario asks it, and what it is compared with there.
void add_scenarios(CycleKeyMaker& key, Machine const& machine, models::Point point) {
    auto const* baseline = machine.scenarios.baseline();
    for (auto const& scenario : machine.scenarios.list()) {
        std::vector<models::Value> asked(point.begin(), point.end());
        for (auto const& [parameter, value] : scenario.asks) asked[parameter] = value;
        add_design(key, machine, asked);
        if (baseline != nullptr && baseline->is_the_design_itself()) add_design(key, machine, baseline->changed(asked));
    }
}

void add_what_conditions_read(CycleKeyMaker& key, Machine const& machine, models::Point point) {
    for (auto const& constraint : machine.constraints) {
        for (std::size_t p = 0; !constraint.before && p < point.size(); ++p) {
            if (constraint.expression.reads_parameter(p)) key.add(Expression::number_of(point[p], 1.0));
        }
    }
}

}  // namespace

models::CycleKey cycle_key(Space const& space, task::PointId id) {
    std::size_t const at = space.machine_of(id);
    auto const& machine = space.machines()[at];
    if (machine.architecture->cycle_key == nullptr) return CycleKeyMaker().add(index_of(id)).key();
    std::vector<models::Value> point;
    space.decode(id, point);
    CycleKeyMaker key;
    key.add(at);
    if (machine.scenarios.empty()) add_design(key, machine, point);
    add_scenarios(key, machine, point);
    add_what_conditions_read(key, machine, point);
    return key.key();
}

}  // namespace pimdse::dse::space
