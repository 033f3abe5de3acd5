#include "dse/space/machine_reader.hpp"

#include "dse/space/axis_reader.hpp"
#include "dse/space/scenario_reader.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/expression/expression_parser.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "models/service/service_metrics.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <algorithm>

namespace pimdse::dse::space {

using models::place;

MachineReader::MachineReader(models::Architecture const& architecture, std::string name, std::string file,
                             std::vector<std::string>& mistakes, models::Assumptions assumptions)
    : file_(std::move(file)), mistakes_(mistakes) {
    machine_.name = std::move(name);
    machine_.architecture = &architecture;
    machine_.inputs.options.assumptions = std::move(assumptions);
    take_parameters(false);
}

void MachineReader::take_parameters(bool traffic) {
    machine_.inputs.parameters =
        space::machine_parameters(*machine_.architecture, machine_.inputs.options.assumptions, traffic);
    machine_.axes.clear();
    for (auto const& parameter : machine_.parameters()) machine_.axes.push_back(Axis::list({parameter.default_value}));
}

bool MachineReader::read_scenarios(toml::table const& content) {
    std::size_t const before = mistakes_.size();
    machine_.scenarios = ScenarioReader(*machine_.architecture, file_, mistakes_, machine_.inputs.options.assumptions,
                                        machine_.table_metrics)
                             .read(content, machine_.inputs.parameters);
    return mistakes_.size() == before;
}

void MachineReader::declare(WrittenTable const& table) {
    auto known = machine_.architecture->metrics();
    auto const service = models::service::service_metrics();
    auto const ratios = space::metrics_of_ratios();
    known.insert(known.end(), service.begin(), service.end());
    known.insert(known.end(), ratios.begin(), ratios.end());
    known.insert(known.end(), machine_.table_metrics.begin(), machine_.table_metrics.end());
    auto const taken = space::taken_names(table.head, known, machine_.parameters());
    for (auto const& sentence : taken) add_mistake(fmt::format("{}: {}", table.where, sentence));
    if (!taken.empty()) return;
    auto const metrics = space::metrics_of(table.head);
    machine_.table_metrics.insert(machine_.table_metrics.end(), metrics.begin(), metrics.end());
    tables_.push_back(table);
}

/// A mistake of a table that several machines use is reported once.
void MachineReader::add_mistake(std::string sentence) {
    if (std::ranges::find(mistakes_, sentence) == mistakes_.end()) mistakes_.push_back(std::move(sentence));
}

void MachineReader::bind_tables(bool one_of_several, std::vector<std::string>& remarks) {
    for (auto const& table : tables_) {
        if (table.content != nullptr) bind_table(table, one_of_several, remarks);
    }
}

void MachineReader::bind_table(WrittenTable const& table, bool one_of_several, std::vector<std::string>& remarks) {
    bool const of_all = one_of_several && table.head.machine.empty();
    try {
        machine_.tables.emplace_back(table.content, machine_.name, of_all, machine_.parameters());
    } catch (sim::InputError const& error) {
        for (auto const& sentence : error.sentences()) {
            bool const in_table = sentence.starts_with(table.head.file);
            add_mistake(in_table ? sentence
                                 : fmt::format("{}: {}{}", table.where, sentence,
                                               of_all ? " Give a table of one machine machine = \"NAME\"?" : ""));
        }
        return;
    }
    auto const& keys = machine_.tables.back().keys();
    bool const by_machine = of_all && keys.size() < table.head.keys.size();
    if (by_machine || std::ranges::any_of(keys, [&](std::size_t key) { return varies(key); })) return;
    remarks.push_back(fmt::format("{}: no key of {} has several values{}, so that its metrics are constants",
                                  table.where, table.content->name(),
                                  one_of_several ? " in " + machine_.name : std::string()));
}

/// Whether points or scenarios differ in a parameter.
bool MachineReader::varies(std::size_t parameter) const {
    std::set<models::Value> values;
    bool open = machine_.scenarios.empty();
    for (auto const& scenario : machine_.scenarios.list()) {
        open = open || !scenario.decides(parameter);
        for (auto const& [asked, value] : scenario.asks)
            if (asked == parameter) values.insert(value);
    }
    auto const& axis = machine_.axes[parameter];
    for (std::uint64_t i = 0; open && i < axis.size() && values.size() < 2; ++i) values.insert(axis.at(i));
    return values.size() > 1;
}

void MachineReader::read_workload(toml::table const& table) {
    static std::vector<std::string> const shared{"llm", "input", "output", "batch", "prefill", "decode"};
    for (auto const& [key, node] : table) {
        auto const where = place(file_, key.source());
        if (std::find(shared.begin(), shared.end(), key.str()) != shared.end())
            set_axis(key.str(), node, where);
        else
            mistakes_.push_back(fmt::format("{}: unknown key '{}' in a workload.{}", where, key.str(),
                                            sim::suggestion(key.str(), shared)));
    }
}

void MachineReader::read_parameters(toml::table const& table) {
    for (auto const& [key, node] : table) {
        auto const* group = node.as_table();
        if (group == nullptr || !begins_names(std::string(key.str()) + ".")) {
            set_axis(key.str(), node, place(file_, key.source()));
            continue;
        }
        for (auto const& [name, entry] : *group)
            set_axis(fmt::format("{}.{}", key.str(), name.str()), entry, place(file_, name.source()));
    }
}

/// Whether parameters have names that begin like this, so that a table may group them. Those of a scheduler are only
/// known with traffic.
bool MachineReader::begins_names(std::string const& prefix) const {
    return prefix == models::service::scheduler_prefix ||
           std::ranges::any_of(machine_.parameters(),
                               [&](auto const& parameter) { return parameter.name.starts_with(prefix); });
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
        bool const serves = models::service::is_serving_parameter(machine_.parameters().back().name);
        if (models::service::is_serving_parameter(key) && !serves)
            return mistakes_.push_back(
                fmt::format("{}: {} is for requests that arrive over time. Add a [[scenario]] with [scenario.traffic]?",
                            where, key));
        mistakes_.push_back(fmt::format(
            "{}: {}", where, models::unknown_parameter(key, machine_.parameters(), machine_.architecture->name)));
        return;
    }
    auto const at = static_cast<std::size_t>(index);
    auto& parameter = machine_.inputs.parameters[at];
    if (machine_.scenarios.ask(at)) {
        auto const said = read_axis(parameter, node, where, mistakes_);
        if (said && (said->size() != 1 || !machine_.scenarios.say(at, said->at(0))))
            mistakes_.push_back(fmt::format("{}: {} is set by the scenarios", where, key));
        return;
    }
    if (auto const why = machine_.scenarios.unused(key); !why.empty())
        return mistakes_.push_back(fmt::format("{}: {}. Leave it out?", where, why));
    if (!given_.insert(index).second) {
        mistakes_.push_back(fmt::format("{}: {} is given twice", where, key));
        return;
    }
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
    auto expression = models::parse_condition(text, {parameters, machine_.metrics()});
    bool const parameters_only = !expression.uses_metrics();
    machine_.constraints.push_back({name, std::move(expression), parameters_only});
}

Machine MachineReader::take() {
    if (auto const bits = machine_.inputs.options.assumptions.precision; bits > 0)
        add_constraint("precision", fmt::format("precision >= {} bit", bits), machine_.parameters());
    machine_.inputs = models::prepare(*machine_.architecture, std::move(machine_.inputs.parameters),
                                      std::move(machine_.inputs.options));
    return std::move(machine_);
}

bool ClassRequests::take(models::Parameter const& parameter, toml::node const& node, std::string const& where) {
    try {
        auto request = read_class_request(node);
        if (!request) return false;
        if (machine_.architecture->classes == nullptr)
            throw sim::InputError("{} has no classes to enumerate", machine_.architecture->name);
        request->parameter =
            static_cast<std::size_t>(models::find_parameter(machine_.inputs.parameters, parameter.name));
        requests_.push_back({std::move(*request), where});
    } catch (sim::InputError const& error) {
        mistakes_.push_back(fmt::format("{}: {}: {}", where, parameter.name, error.what()));
    }
    return true;
}

void ClassRequests::forget(int parameter) {
    std::erase_if(requests_,
                  [&](Request const& request) { return static_cast<int>(request.what.parameter) == parameter; });
}

void ClassRequests::expand(std::set<int> const& given) {
    for (auto const& request : requests_) expand(request, given);
    for (std::size_t i = 0; i < machine_.axes.size(); ++i) count_orderings(i, given);
}

/// The values that the file and its scenarios give each parameter; empty for a parameter that is given as a permutation
/// or not at all.
models::AxisValues ClassRequests::values_given(std::set<int> const& given) const {
    models::AxisValues values(machine_.axes.size());
    for (auto const index : given) {
        auto const& axis = machine_.axes[static_cast<std::size_t>(index)];
        if (axis.at(0).kind() == models::Kind::permutation) continue;
        for (std::uint64_t i = 0; i < axis.size(); ++i) values[static_cast<std::size_t>(index)].push_back(axis.at(i));
    }
    for (auto const& scenario : machine_.scenarios.list()) {
        for (auto const& [index, value] : scenario.asks) values[index].push_back(value);
    }
    return values;
}

void ClassRequests::expand(Request const& request, std::set<int> const& given) {
    if (!mistakes_.empty()) return;  // the classes depend on all other axes
    auto& parameters = machine_.inputs.parameters;
    auto& parameter = parameters[request.what.parameter];
    try {
        auto const found = machine_.architecture->classes(parameters, request.what, values_given(given));
        std::vector<models::Value> values;
        for (auto const& text : found.texts) values.push_back(models::read_value(parameter, text));
        machine_.axes[request.what.parameter] = Axis::list(std::move(values));
        for (auto const& [index, value] : found.decided) machine_.axes[index] = Axis::list({value});
        note(parameter, found);
    } catch (sim::InputError const& error) {
        mistakes_.push_back(fmt::format("{}: {}: {}", request.where, parameter.name, error.what()));
    }
}

void ClassRequests::count_orderings(std::size_t parameter, std::set<int> const& given) {
    auto const& axis = machine_.axes[parameter];
    if (machine_.architecture->classes == nullptr || axis.at(0).kind() != models::Kind::permutation ||
        !mistakes_.empty())
        return;
    note(machine_.inputs.parameters[parameter],
         machine_.architecture->classes(machine_.inputs.parameters, {parameter, "", {}}, values_given(given)));
}

void ClassRequests::note(models::Parameter const& parameter, models::Classes const& found) {
    std::vector<std::string> parts;
    for (auto const& [what, count] : found.counts) parts.push_back(fmt::format("{} {}", count, what));
    for (auto const& [index, value] : found.decided) {
        parts.push_back(fmt::format("{} = {}", machine_.inputs.parameters[index].name,
                                    models::print_value(machine_.inputs.parameters[index], value)));
    }
    notes_.emplace_back(parameter.name, fmt::format("{}", fmt::join(parts, ", ")));
}

}  // namespace pimdse::dse::space
