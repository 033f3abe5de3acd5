#include "dse/space_file/machine_reader.hpp"

#include "dse/space/expression_parser.hpp"
#include "dse/space_file/axis_reader.hpp"
#include "dse/space_file/scenario_reader.hpp"
#include "models/contract/common_parameters.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::space_file {

using models::place;

MachineReader::MachineReader(models::Architecture const& architecture, std::string name, std::string file,
                             std::vector<std::string>& mistakes, models::Assumptions assumptions)
    : file_(std::move(file)), mistakes_(mistakes) {
    machine_.name = std::move(name);
    machine_.architecture = &architecture;
    machine_.inputs.parameters = architecture.parameters();
    models::set_common_defaults(machine_.inputs.parameters, assumptions);
    machine_.inputs.options.assumptions = std::move(assumptions);
    for (auto const& parameter : machine_.parameters())
        machine_.axes.push_back(space::Axis::list({parameter.fallback}));
}

bool MachineReader::read_scenarios(toml::table const& content) {
    std::size_t const before = mistakes_.size();
    machine_.scenarios = ScenarioReader(*machine_.architecture, file_, mistakes_, machine_.inputs.options.assumptions)
                             .read(content, machine_.inputs.parameters);
    return mistakes_.size() == before;
}

void MachineReader::read_workload(toml::table const& table) {
    static std::vector<std::string> const shared{"llm", "input", "output", "batch", "prefill", "decode"};
    for (auto const& [key, node] : table) {
        auto const where = place(file_, key.source());
        if (std::find(shared.begin(), shared.end(), key.str()) != shared.end())
            set_axis(key.str(), node, where);
        else
            mistakes_.push_back(fmt::format("{}: '{}' is no part of a workload.{}", where, key.str(),
                                            sim::suggestion(key.str(), shared)));
    }
}

void MachineReader::read_parameters(toml::table const& table) {
    for (auto const& [key, node] : table) set_axis(key.str(), node, place(file_, key.source()));
}

void MachineReader::apply(std::string const& parameter, toml::node const& value, std::string const& where) {
    int const index = models::find_parameter(machine_.parameters(), parameter);
    given_.erase(index);
    remarks_.erase(index);
    classes_.forget(index);
    set_axis(parameter, value, where);
}

void MachineReader::set_axis(std::string_view key, toml::node const& node, std::string const& where) {
    int const index = models::find_parameter(machine_.parameters(), key);
    if (index < 0) {
        std::vector<std::string> names;
        for (auto const& parameter : machine_.parameters()) names.push_back(parameter.name);
        mistakes_.push_back(fmt::format("{}: unknown parameter '{}' of {}.{}", where, key, machine_.architecture->name,
                                        sim::suggestion(key, names)));
        return;
    }
    auto const at = static_cast<std::size_t>(index);
    if (machine_.scenarios.ask(at)) {
        mistakes_.push_back(fmt::format("{}: {} is what the scenarios ask", where, key));
        return;
    }
    if (!given_.insert(index).second) {
        mistakes_.push_back(fmt::format("{}: {} is given twice", where, key));
        return;
    }
    auto& parameter = machine_.inputs.parameters[at];
    if (classes_.take(parameter, node, where)) return;
    auto axis = read_axis(parameter, node, where, mistakes_);
    if (!axis) return;
    auto const unmet = unmet_end(parameter, node, *axis);
    if (!unmet.empty()) remarks_[index] = fmt::format("{}: {}", where, unmet);
    machine_.axes[at] = std::move(*axis);
}

void MachineReader::finish(Notes& notes, std::vector<std::string>& remarks) {
    classes_.expand(given_);
    notes.insert(notes.end(), notes_.begin(), notes_.end());
    for (auto const& [_, remark] : remarks_) remarks.push_back(remark);
}

void MachineReader::add_constraint(std::string const& name, std::string const& text,
                                   models::Parameters const& parameters) {
    auto expression = space::parse_condition(text, {parameters, machine_.metrics()});
    bool const before = !expression.uses_metrics();
    machine_.constraints.push_back({name, std::move(expression), before});
}

space::Machine MachineReader::take() {
    if (auto const bits = machine_.inputs.options.assumptions.precision; bits > 0)
        add_constraint("precision", fmt::format("precision >= {} bit", bits), machine_.parameters());
    machine_.inputs = models::prepare(*machine_.architecture, std::move(machine_.inputs.parameters),
                                      std::move(machine_.inputs.options));
    return std::move(machine_);
}

}  // namespace pimdse::dse::space_file
