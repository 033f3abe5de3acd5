#include "dse/uncertain/varied_space.hpp"

#include "models/contract/architecture.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/technology.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace pimdse::dse::uncertain {
namespace {

/// Adds a value to the options with which a machine is prepared.
void bind(models::ModelOptions& options, Binding const& binding, double si) {
    if (binding.place == Binding::Place::constant) {
        options.drawn[binding.name] = si;
    } else if (binding.place == Binding::Place::technology) {
        auto const row = models::Technology::load(options.assumptions).row(binding.name);
        auto const in_unit = si / sim::parse_unit(row.constant.unit).in_si;
        models::set_assumption(options.assumptions, "technology." + binding.name,
                               fmt::format("{} {}", in_unit, row.constant.unit));
    }
}

models::Value value_of(models::Parameter const& parameter, double si) {
    return parameter.kind == models::Kind::integer ? models::Value::integer(std::llround(si))
                                                   : models::Value::quantity(si);
}

/// A fixed design that designs are compared with has the same constants as they.
void vary_baseline(space::Machine& machine, models::ModelOptions const& options) {
    auto const* baseline = machine.scenarios.baseline();
    if (baseline == nullptr || baseline->is_the_design_itself()) return;
    auto changed = baseline->inputs().options;
    changed.assumptions = options.assumptions;
    bool const same_machine = &baseline->architecture() == machine.architecture;
    for (auto const& [name, si] : options.drawn)
        if (same_machine || name.find('.') != std::string::npos) changed.drawn[name] = si;
    machine.scenarios.set_baseline(
        baseline->with(models::prepare(baseline->architecture(), baseline->inputs().parameters, std::move(changed))));
}

}  // namespace

bool reads(UncertainConstant const& constant, std::size_t machine) {
    return std::ranges::any_of(constant.bindings, [&](Binding const& binding) { return binding.machine == machine; });
}

space::Machine varied_machine(space::Machine const& machine, std::size_t position,
                              std::span<UncertainConstant const> constants, Settings const& settings) {
    auto varied = machine;
    auto const& architecture = *machine.architecture;
    auto options = machine.inputs.options;
    bool of_machine = false, of_groups = false;
    for (auto const& setting : settings) {
        for (auto const& binding : constants[setting.constant].bindings) {
            if (binding.machine != position) continue;
            if (binding.place == Binding::Place::parameter) {
                auto const at = models::find_parameter(machine.parameters(), binding.name);
                sim::expects(at >= 0, "an uncertain parameter is a parameter of the machine");
                auto const index = static_cast<std::size_t>(at);
                varied.axes[index] = space::Axis::list({value_of(machine.parameters()[index], setting.si)});
            } else {
                bind(options, binding, setting.si);
                bool const of_group = binding.place == Binding::Place::constant &&
                                      models::is_read_by_groups_only(architecture, binding.name);
                (of_group ? of_groups : of_machine) = true;
            }
        }
    }
    if (!of_machine && !of_groups) return varied;
    vary_baseline(varied, options);
    varied.inputs = of_machine
                        ? models::prepare(architecture, machine.inputs.parameters, std::move(options))
                        : models::with_drawn_for_groups(architecture, std::move(varied.inputs), std::move(options));
    return varied;
}

space::Space varied_space(space::Space const& space, std::span<UncertainConstant const> constants,
                          Settings const& settings) {
    std::vector<space::Machine> machines;
    for (std::size_t m = 0; m < space.machines().size(); ++m)
        machines.push_back(varied_machine(space.machines()[m], m, constants, settings));
    return space.with_machines(std::move(machines));
}

std::vector<std::string> refusals_of(space::Space const& space, std::span<UncertainConstant const> constants,
                                     std::span<std::size_t const> those, Settings const& settings) {
    std::vector<std::vector<std::string>> of_machine(space.machines().size());
    tbb::parallel_for(std::size_t{0}, of_machine.size(), [&](std::size_t m) {
        if (std::ranges::none_of(those, [&](std::size_t c) { return reads(constants[c], m); })) return;
        try {
            (void)varied_machine(space.machines()[m], m, constants, settings);
        } catch (sim::InputError const& error) {
            of_machine[m] = error.sentences();
        }
    });
    auto const refused = std::ranges::find_if(of_machine, [](auto const& sentences) { return !sentences.empty(); });
    return refused == of_machine.end() ? std::vector<std::string>{} : *refused;
}

}  // namespace pimdse::dse::uncertain
