#include "dse/space/machine_readers.hpp"

#include "dse/space/columns.hpp"
#include "dse/space/scenario_reader.hpp"
#include "models/contract/assumptions.hpp"
#include "models/expression/expression_parser.hpp"
#include "models/find_architecture.hpp"
#include "models/text/head.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cctype>

namespace pimdse::dse::space {

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
            mistakes_.push_back(fmt::format("{}: unknown machine '{}'.{}", table.where, table.head.machine,
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
    throw sim::InputError("unknown machine '{}'.{}", name, sim::suggestion(name, names()));
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
    if (readers_.size() == 1)
        return readers_.front()->add_constraint(name, text, readers_.front()->machine().parameters());
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
                    "condition \"{0}\" names what not every machine has. Ask {1} alone, or write expr = "
                    "\"{2}\" and machine = \"{1}\" in the table of a constraint?",
                    text, one.name, own);
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

}  // namespace pimdse::dse::space
