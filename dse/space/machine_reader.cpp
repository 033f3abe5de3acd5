#include "dse/space/machine_reader.hpp"

#include "dse/space/axis_reader.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/scenario_reader.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/parameter.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/expression/expression_parser.hpp"
#include "models/find_architecture.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "models/service/service_metrics.hpp"
#include "models/text/head.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cctype>

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
    if (machine_.scenarios.ask(at)) {
        mistakes_.push_back(fmt::format("{}: {} is set by the scenarios", where, key));
        return;
    }
    if (auto const why = machine_.scenarios.unused(key); !why.empty())
        return mistakes_.push_back(fmt::format("{}: {}. Leave it out?", where, why));
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

namespace {

using models::place;
using models::TableReader;

bool is_condition_of(Machine const& machine, std::string const& text) {
    try {
        (void)models::parse_condition(text, {machine.parameters(), machine.metrics()});
        return true;
    } catch (sim::InputError const&) {
        return false;
    }
}

}  // namespace

void MachineReaders::read_assumptions(toml::table const& content) {
    if (content.contains("machine")) assumptions_ = models::common_assumptions();
    auto const* node = content.get("assumptions");
    if (node == nullptr) return;
    auto const* table = node->as_table();
    if (table == nullptr)
        return mistakes_.push_back(
            fmt::format("{}: 'assumptions' must be a table, such as [assumptions]", place(file_, node->source())));
    auto const assume_node = [this](std::string const& key, toml::node const& value) {
        auto const where = place(file_, value.source());
        try {
            assume(key, models::scalar_text(value), where);
        } catch (sim::InputError const& error) {
            mistakes_.push_back(fmt::format("{}: assumption {}: {}", where, key, error.what()));
        }
    };
    // The node comes before the rows of technology.toml, because these are checked for that node.
    if (auto const* node_key = table->get("node")) assume_node("node", *node_key);
    for (auto const& [key, value] : *table) {
        if (key.str() == "node") continue;
        if (auto const* rows = value.as_table();
            rows != nullptr && (key.str() == "technology" || key.str() == models::economy_table)) {
            for (auto const& [name, row] : *rows) assume_node(fmt::format("{}.{}", key.str(), name.str()), row);
        } else {
            assume_node(std::string(key.str()), value);
        }
    }
}

void MachineReaders::assume(std::string const& key, std::string const& text, std::string const& where) {
    try {
        models::set_assumption(assumptions_, key, text);
    } catch (sim::InputError const& error) {
        for (auto const& sentence : error.sentences()) mistakes_.push_back(fmt::format("{}: {}", where, sentence));
    }
}

bool MachineReaders::find(toml::table const& content, TableReader& root) {
    if (auto const* machines = content.get("machine"))
        find_several(*machines, root);
    else
        add(root, "");
    if (readers_.empty()) throw sim::InputError(mistakes_);
    if (ScenarioReader::finds_traffic(content))
        for (auto& reader : readers_) reader->take_parameters(true);
    if (several() && !mistakes_.empty()) {
        // Metrics and scenarios need all machines; the parameters of those that are known do not.
        read_parameters(nullptr);
        throw sim::InputError(mistakes_);
    }
    declare_tables();
    return std::ranges::all_of(readers_, [&](auto& reader) { return reader->read_scenarios(content); });
}

/// Gives each table to its machines.
void MachineReaders::declare_tables() {
    for (auto const& table : written_tables_) {
        auto const known = names();
        if (!table.head.machine.empty() && std::ranges::find(known, table.head.machine) == known.end())
            mistakes_.push_back(fmt::format("{}: there is no machine '{}'.{}", table.where, table.head.machine,
                                            sim::suggestion(table.head.machine, known)));
        for (auto& reader : readers_) {
            if (table.head.machine.empty() || table.head.machine == reader->machine().name) reader->declare(table);
        }
    }
}

/// Adds a machine of the architecture that a table names; its name is `name`, or else the architecture's name.
void MachineReaders::add(TableReader& table, std::string name) {
    auto const before = mistakes_.size();
    std::string const architecture = architecture_in(table);
    std::string constants = table.text_or("constants", "");
    if (!constants.empty() && !constants.ends_with(".toml"))
        table.mistake("constants", fmt::format("'constants' must be a path that ends in .toml (got '{}')", constants));
    if (mistakes_.size() != before) return;
    try {
        auto const& found = models::find_architecture(architecture);
        if (name.empty()) {
            name = found.name;
            std::ranges::replace(name, ':', '_');
        }
        auto const known = names();
        if (std::ranges::find(known, name) != known.end())
            return table.mistake(
                "architecture",
                fmt::format("there are two machines '{}'. Give one of them another name with name = ...?", name));
        readers_.push_back(std::make_unique<MachineReader>(found, std::move(name), file_, mistakes_, assumptions_));
        readers_.back()->take_constants(std::move(constants));
    } catch (sim::InputError const& error) {
        report_architecture(table, architecture, error);
    }
}

/// Mistakes in a machine's file that have a line there keep it; others are reported where the file is named.
void MachineReaders::report_architecture(TableReader& table, std::string const& architecture,
                                         sim::InputError const& error) {
    auto const paths = models::paths_in(architecture);
    for (auto const& sentence : error.sentences()) {
        bool const has_line = std::ranges::any_of(paths, [&](std::filesystem::path const& path) {
            auto const before = path.string() + ":";
            return sentence.starts_with(before) &&
                   std::isdigit(static_cast<unsigned char>(sentence[before.size()])) != 0;
        });
        if (has_line)
            mistakes_.push_back(sentence);
        else
            table.mistake("architecture", sentence);
    }
}

/// The architecture that a table names; kind = "pair" names two.
std::string MachineReaders::architecture_in(TableReader& table) {
    auto const kind = table.text_or("kind", "");
    if (kind.empty()) return table.text("architecture");
    if (kind != "pair") {
        for (auto const* of_pair : {"prefill", "decode"}) (void)table.node(of_pair);
        table.mistake("kind", fmt::format("unknown kind '{}'. Did you mean 'pair' (with prefill and decode)?", kind));
        return "";
    }
    if (table.node("constants") != nullptr)
        table.mistake("constants", "a pair has no file of constants of its own: constants belong to one machine");
    auto const prefill = table.text("prefill"), decode = table.text("decode");
    return fmt::format("pair:{}:{}", prefill, decode);
}

void MachineReaders::find_several(toml::node const& machines, TableReader& root) {
    for (auto const* of_one : {"architecture", "constants", "parameters"}) {
        if (root.node(of_one) != nullptr)
            root.mistake(
                of_one,
                fmt::format("'{}' belongs in a [[machine]] table, because this file has [[machine]] tables", of_one));
    }
    auto const* list = machines.as_array();
    if (list == nullptr || list->empty())
        return root.mistake("machine", "machines must be [[machine]] tables with an architecture");
    for (auto const& entry : *list) {
        if (auto const* table = entry.as_table())
            find_one_of_several(*table);
        else
            mistakes_.push_back(fmt::format("{}: a machine must be a table", place(file_, entry.source())));
    }
}

void MachineReaders::find_one_of_several(toml::table const& table) {
    TableReader reader(table, file_, mistakes_);
    auto const name = reader.text_or("name", "");
    if (!name.empty() && !models::text::is_machine_name(name))
        reader.mistake("name",
                       fmt::format("'{}' is not a valid machine name (a letter, then letters, digits and '_')", name));
    (void)reader.node("parameters");
    for (auto const* of_all : {"objectives", "workload"}) {
        if (reader.node(of_all) != nullptr)
            reader.mistake(
                of_all, fmt::format("'{}' applies to the whole file and not to one machine. Move it above [[machine]]?",
                                    of_all));
    }
    auto const known = readers_.size();
    add(reader, name);
    reader.refuse_unknown_keys();
    if (readers_.size() > known) tables_.push_back(&table);
}

void MachineReaders::read_workload(toml::table const& table) {
    for (auto& reader : readers_) reader->read_workload(table);
}

void MachineReaders::read_parameters(toml::table const* of_one) {
    if (!several() && of_one != nullptr) readers_.front()->read_parameters(*of_one);
    for (std::size_t m = 0; m < tables_.size(); ++m) {
        auto const* node = tables_[m]->get("parameters");
        if (node == nullptr) continue;
        if (auto const* table = node->as_table())
            readers_[m]->read_parameters(*table);
        else
            mistakes_.push_back(fmt::format("{}: 'parameters' must be a table", place(file_, node->source())));
    }
}

void MachineReaders::apply(std::string const& parameter, toml::node const& value, std::string const& where) {
    if (!several()) return readers_.front()->apply(parameter, value, where);
    auto const [machine, own] = space::machine_and_name(parameter);
    for (auto& reader : readers_) {
        if (reader->machine().name == machine) return reader->apply(std::string(own), value, where);
    }
    auto named = fmt::format("{}.{}", names().front(), own);
    for (auto m = readers_.size(); m-- > 0;)
        if (models::find_parameter(readers_[m]->machine().parameters(), parameter) >= 0)
            named = fmt::format("{}.{}", readers_[m]->machine().name, parameter);
    mistakes_.push_back(
        fmt::format("{}: name the machine, as in --set {}=... (machines: {})", where, named, fmt::join(names(), ", ")));
}

void MachineReaders::finish(MachineReader::Notes& notes, std::vector<std::string>& remarks) {
    for (auto& reader : readers_) reader->finish(notes, remarks);
    for (auto& reader : readers_) reader->bind_tables(readers_.size() > 1, remarks);
    check_size();
}

void MachineReaders::check_size() {
    std::uint64_t points = 0;
    for (auto const& reader : readers_) {
        auto const more = space::points_of(reader->machine().axes);
        if (more && *more <= UINT64_MAX - points) {
            points += *more;
            continue;
        }
        return mistakes_.push_back(
            fmt::format("{}: the space has more than 2^64 points (ids are 64-bit). Fewer values?", file_));
    }
}

std::vector<std::string> MachineReaders::names() const {
    std::vector<std::string> list;
    for (auto const& reader : readers_) list.push_back(reader->machine().name);
    return list;
}

MachineReader& MachineReaders::called(std::string_view name) {
    for (auto& reader : readers_) {
        if (name.empty() || reader->machine().name == name) return *reader;
    }
    throw sim::InputError("there is no machine '{}'.{}", name, sim::suggestion(name, names()));
}

std::vector<models::Architecture const*> MachineReaders::architectures() const {
    std::vector<models::Architecture const*> list;
    for (auto const& reader : readers_) list.push_back(reader->machine().architecture);
    return list;
}

std::vector<models::MetricList> MachineReaders::own_metrics() const {
    std::vector<models::MetricList> lists;
    for (auto const& reader : readers_) {
        auto list = reader->machine().architecture->metrics();
        auto const& more = reader->machine().table_metrics;
        list.insert(list.end(), more.begin(), more.end());
        lists.push_back(std::move(list));
    }
    return lists;
}

models::MetricList MachineReaders::common_metrics() const {
    std::vector<Machine> machines;
    for (auto const& reader : readers_) {
        auto& machine = machines.emplace_back();
        machine.name = reader->machine().name;
        machine.architecture = reader->machine().architecture;
        machine.scenarios = reader->machine().scenarios;
        machine.table_metrics = reader->machine().table_metrics;
    }
    auto metrics = space::metrics_of(machines);
    metrics.list.resize(metrics.common);
    return metrics.list;
}

void MachineReaders::need_common(std::string const& metric) const {
    if (models::find_metric(common_metrics(), metric) >= 0) return;
    std::vector<std::string> with, without;
    for (auto const& reader : readers_) {
        bool const has = models::find_metric(reader->machine().metrics(), metric) >= 0;
        (has ? with : without).push_back(reader->machine().name);
    }
    if (with.empty()) return;  // an unknown metric is reported, with a suggestion, where it is looked up
    if (without.empty()) throw sim::InputError("{} does not have the same unit in all machines", metric);
    throw sim::InputError("{} is a metric of {} and not of {} (an objective must be a metric of all machines)", metric,
                          fmt::join(with, ", "), fmt::join(without, ", "));
}

std::string MachineReaders::why_never(std::string_view metric, std::string_view machine) const {
    for (auto const& reader : readers_) {
        auto const& one = reader->machine();
        if (!machine.empty() && one.name != machine) continue;
        if (auto why = space::why_never(one, metric); !why.empty())
            return several() ? fmt::format("{}: {}", one.name, why) : why;
    }
    return "";
}

void MachineReaders::add_constraint(std::string const& name, std::string const& text) {
    try {
        (void)models::parse_condition(text, {{}, common_metrics()});
    } catch (sim::InputError const&) {
        for (auto const& reader : readers_) {
            auto const& one = reader->machine();
            auto own = text;
            for (std::size_t at = 0; (at = own.find(one.name + '.', at)) != own.npos;)
                own.erase(at, one.name.size() + 1);
            if (is_condition_of(one, own))
                throw sim::InputError(
                    "condition \"{}\" names what not every machine has. Write expr = \"{}\" and machine = "
                    "\"{}\" in its table?",
                    text, own, one.name);
        }
        throw;
    }
    for (auto& reader : readers_) reader->add_constraint(name, text, {});
}

std::vector<Machine> MachineReaders::take() {
    std::vector<Machine> machines;
    for (auto& reader : readers_) machines.push_back(reader->take());
    return machines;
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
