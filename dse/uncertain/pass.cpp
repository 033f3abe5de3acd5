#include "dse/uncertain/pass.hpp"

#include "dse/space/evaluation.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/technology.hpp"
#include "sim/base/check.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

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

using sim::Json;

Json json_of(UncertainConstant const& constant) {
    auto bindings = Json::array();
    for (auto const& binding : constant.bindings)
        bindings.push_back({binding.machine, static_cast<int>(binding.place), binding.name});
    return {{"name", constant.name}, {"bindings", std::move(bindings)}};
}

UncertainConstant constant_in(Json const& text) {
    UncertainConstant constant;
    constant.name = text.at("name").get<std::string>();
    for (auto const& entry : text.at("bindings")) {
        constant.bindings.push_back({entry.at(0).get<std::size_t>(),
                                     static_cast<Binding::Place>(entry.at(1).get<std::uint8_t>()),
                                     entry.at(2).get<std::string>()});
    }
    return constant;
}

Json json_of(Settings const& settings) {
    auto list = Json::array();
    for (auto const& one : settings) list.push_back({one.constant, one.si});
    return list;
}

Settings settings_in(Json const& text) {
    Settings settings;
    for (auto const& entry : text) settings.push_back({entry.at(0).get<std::size_t>(), entry.at(1).get<double>()});
    return settings;
}

/// The machine under every setting of a pass.
using Variants = std::shared_ptr<std::vector<space::Machine> const>;

Variants variants_of(space::Space const& space, std::size_t at, Pass const& pass) {
    auto const& settings = pass.machines[at];
    auto variants = std::make_shared<std::vector<space::Machine>>(settings.size());
    tbb::parallel_for(std::size_t{0}, settings.size(), [&](std::size_t s) {
        (*variants)[s] = varied_machine(space.machines()[at], at, pass.constants, settings[s]);
    });
    return variants;
}

models::MetricList metrics_of(std::size_t objectives, std::size_t settings) {
    models::MetricList list;
    for (std::size_t s = 0; s < settings; ++s) {
        for (std::size_t o = 0; o < objectives; ++o)
            list.push_back({fmt::format("objective{}_setting{}", o + 1, s + 1), "1",
                            "an objective of the space under one setting of its uncertain constants",
                            models::Sense::none});
    }
    list.push_back({"settings", "1", "number of settings under which the design is feasible"});
    return list;
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

Draws draws_of(space::Space const& space, Uncertainty const& uncertainty) {
    auto const& constants = uncertainty.constants;
    return draws_of(uncertainty, [&](std::vector<std::size_t> const& group, DrawnValues const& values) {
        std::vector<std::vector<std::string>> of_machine(space.machines().size());
        tbb::parallel_for(std::size_t{0}, of_machine.size(), [&](std::size_t m) {
            if (std::ranges::none_of(group, [&](std::size_t c) { return reads(constants[c], m); })) return;
            try {
                (void)varied_machine(space.machines()[m], m, constants, settings_of(values));
            } catch (sim::InputError const& error) {
                of_machine[m] = error.sentences();
            }
        });
        auto const refused = std::ranges::find_if(of_machine, [](auto const& sentences) { return !sentences.empty(); });
        return refused == of_machine.end() ? std::vector<std::string>{} : *refused;
    });
}

Settings read_by(std::size_t machine, std::span<UncertainConstant const> constants, Settings const& settings) {
    Settings read;
    std::ranges::copy_if(settings, std::back_inserter(read),
                         [&](Setting const& one) { return reads(constants[one.constant], machine); });
    return read;
}

std::string Pass::text() const {
    Json text{{"name", name}, {"constants", Json::array()}, {"machines", Json::array()}};
    for (auto const& constant : constants) text["constants"].push_back(json_of(constant));
    for (auto const& machine : machines) {
        auto list = Json::array();
        for (auto const& settings : machine) list.push_back(json_of(settings));
        text["machines"].push_back(std::move(list));
    }
    return text.dump();
}

Pass Pass::from(std::string const& text) {
    try {
        auto const json = Json::parse(text);
        Pass pass;
        pass.name = json.at("name").get<std::string>();
        for (auto const& constant : json.at("constants")) pass.constants.push_back(constant_in(constant));
        for (auto const& machine : json.at("machines")) {
            auto& list = pass.machines.emplace_back();
            for (auto const& settings : machine) list.push_back(settings_in(settings));
        }
        return pass;
    } catch (Json::Error const& error) {
        throw sim::InputError("not a pass over uncertain constants: {}", error.what());
    }
}

std::size_t Pass::width() const {
    std::size_t width = 0;
    for (auto const& settings : machines) width = std::max(width, settings.size());
    return width;
}

MaybeObjectives objectives_of(space::Space const& space, std::size_t at, space::Machine const& machine,
                              models::Point point, models::Fidelity fidelity) {
    std::vector<models::Value> own(point.begin(), point.end());
    for (std::size_t p = 0; p < own.size(); ++p)
        if (machine.axes[p].size() == 1) own[p] = machine.axes[p].at(0);
    auto const outcome = space::outcome_of(space, at, machine, own, fidelity);
    if (auto const* defect = std::get_if<models::Defect>(&outcome))
        throw std::runtime_error(fmt::format("{} under other constants: {}", machine.name, defect->what));
    auto const* metrics = std::get_if<models::Metrics>(&outcome);
    if (metrics == nullptr) return std::nullopt;
    std::vector<double> values;
    for (auto const& objective : space.objectives()) values.push_back((*metrics)[objective.metric].value);
    return values;
}

PassSpace::PassSpace(space::Space const& original, Pass const& pass) {
    auto const objectives = original.objectives().size();
    auto const width = pass.width();
    space::Space::Parts parts;
    for (std::size_t m = 0; m < original.machines().size(); ++m) {
        auto machine = original.machines()[m];
        auto architecture = *machine.architecture;
        architecture.metrics = [objectives, width] { return metrics_of(objectives, width); };
        architecture.explain = nullptr;
        architecture.evaluate = [&original, m, width, objectives, variants = variants_of(original, m, pass)](
                                    models::Inputs const&, models::Point point,
                                    models::Fidelity fidelity) -> models::Outcome {
            models::Metrics values(objectives * width + 1, models::does_not_apply());
            double feasible = 0.0;
            for (std::size_t s = 0; s < variants->size(); ++s) {
                auto const found = objectives_of(original, m, (*variants)[s], point, fidelity);
                if (!found) continue;
                feasible += 1.0;
                for (std::size_t o = 0; o < objectives; ++o)
                    values[s * objectives + o] = models::Estimate::exact((*found)[o]);
            }
            values.back() = models::Estimate::exact(feasible);
            return values;
        };
        machine.architecture = &architectures_.emplace_back(std::move(architecture));
        machine.constraints.clear();
        machine.scenarios = {};
        machine.tables.clear();
        machine.table_metrics.clear();
        parts.machines.push_back(std::move(machine));
    }
    parts.objectives = {{space::metrics_of(parts.machines).list.size() - 1, models::Sense::minimize}};
    parts.search = original.search();
    parts.search.keep = space::Keep::all;
    parts.text = original.text();
    space_.emplace(std::move(parts));
}

std::vector<MaybeObjectives> by_setting(models::Metrics const& metrics, std::size_t objectives, std::size_t settings) {
    std::vector<MaybeObjectives> list(settings);
    for (std::size_t s = 0; s < settings; ++s) {
        std::vector<double> values;
        for (std::size_t o = 0; o < objectives; ++o) values.push_back(metrics[s * objectives + o].value);
        if (std::ranges::none_of(values, [](double value) { return std::isnan(value); })) list[s] = std::move(values);
    }
    return list;
}

}  // namespace pimdse::dse::uncertain
