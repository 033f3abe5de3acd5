#include "models/text/section_readers.hpp"

#include "models/contract/constants.hpp"
#include "models/contract/ledger.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/economy/materials.hpp"
#include "models/text/numbers.hpp"
#include "models/text/part_kinds.hpp"
#include "models/text/source_files.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace pimdse::models::text {
namespace {

/// Keys of other units that nothing of a part would read: its own laws say what it attains and takes.
void refuse_idle_keys(TableReader& keys, PartKind const& part) {
    for (auto const* key : {"share", "waiting_power", "energy"})
        if (keys.node(key) != nullptr && (!part.is_vector || key == std::string_view("share")))
            keys.mistake(key, fmt::format("'{}' has no effect on a {}, whose own laws say what it attains and takes "
                                          "(area and static_power may be added)",
                                          key, part.name));
}

/// The keys of a part that `parameters` of its section makes parameters of the machine; `component` is that section.
std::set<std::string> opened_keys(TableReader& keys, PartKind const& part, MachineFile& machine, Component& component) {
    std::set<std::string> open;
    refuse_idle_keys(keys, part);
    auto const* node = keys.node("parameters");
    if (node == nullptr) return open;
    auto const* list = node->as_array();
    if (list == nullptr) keys.mistake("parameters", "'parameters' is not a list of keys of the part");
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        auto const name = (*list)[i].value_or(std::string());
        auto const at = find_parameter(part.keys, name);
        if (at < 0) {
            keys.mistake("parameters", unknown_parameter(name, part.keys, part.name));
            continue;
        }
        auto const& key = part.keys[static_cast<std::size_t>(at)];
        if (!open.insert(key.name).second) continue;
        if (keys.node(key.name) != nullptr)
            keys.mistake(key.name, fmt::format("'{}' has a value and is one of 'parameters', which set it", key.name));
        if (find_parameter(machine.parameters, key.name) < 0) machine.parameters.push_back(key);
        if (!PartKind::texts_of(key).empty()) {
            component.texts.emplace(key.name, fmt::format("{{{}}}", key.name));
            continue;
        }
        auto const unit = sim::parse_unit(key.unit.empty() ? "1" : key.unit);
        machine.numbers.push_back({component.of(key.name), key.name, unit.dimension, component.place, "", false});
    }
    return open;
}

void check_memory_type(TableReader& keys, std::string const& type) {
    auto const& known = economy::memory_names;
    if (std::ranges::find(known, type) == known.end())
        keys.mistake("type", fmt::format("'{}' is not a type of memory.{}", sim::clipped(type),
                                         sim::suggestion(type, {known.begin(), known.end()})));
}

bool is_of_products(std::string const& pattern) {
    return std::ranges::any_of(std::array{"weights", "attention", "lm_head"},
                               [&](char const* op) { return pattern.find(op) != std::string::npos; });
}

}  // namespace

toml::table const* table_of(TableReader& reader, std::string_view key) {
    auto const* node = reader.node(key);
    if (node != nullptr && !node->is_table()) reader.mistake(key, fmt::format("'{}' is not a table", key));
    return node == nullptr ? nullptr : node->as_table();
}

/// A number: 4, "4 ns", "2 * lanes", or { value = ..., source = "...", assumed = true }.
void NumberReader::read(TableReader& keys, NumberKey const& key, std::string const& name) {
    auto const* node = keys.node(key.name);
    WrittenNumber number{name,     std::string(key.default_text), key.dimension, place(file_, keys.region()), "", false,
                         key.range};
    if (node == nullptr) {
        if (key.default_text.empty())
            keys.mistake(key.name,
                         fmt::format("'{}' is missing (it must be {})", key.name, sim::a_dimension(key.dimension)));
        if (!key.default_text.empty()) machine_->numbers.push_back(std::move(number));
        return;
    }
    set(*node, key.name, number);
    machine_->numbers.push_back(std::move(number));
}

void NumberReader::set(toml::node const& node, std::string_view key, WrittenNumber& number) {
    number.place = place(file_, node.source());
    if (auto const* one = node.as_table()) {
        TableReader keys(*one, file_, *mistakes_);
        if (auto const* value = keys.node("value"))
            set(*value, key, number);
        else
            keys.mistake("value", fmt::format("'{}' has no 'value'", key));
        number.source = keys.text_or("source", "");
        number.assumed = keys.flag_or("assumed", false);
        set_range(keys, number);
        keys.refuse_unknown_keys();
    } else if (node.is_string() || node.is_number()) {
        number.text = scalar_text(node);
    } else {
        mistakes_->push_back(
            fmt::format("{}: '{}' is neither a number nor an expression in quotes", number.place, key));
    }
}

/// Two factors, between which the number may be.
void NumberReader::set_range(TableReader& keys, WrittenNumber& number) {
    auto const* node = keys.node("range");
    if (node == nullptr) return;
    auto const* list = node->as_array();
    auto const factor = [&](std::size_t i) { return (*list)[i].value_or(0.0); };
    if (list == nullptr || list->size() != 2 || !(factor(0) > 0.0 && factor(0) <= 1.0 && factor(1) >= 1.0)) {
        keys.mistake("range", "'range' is not two factors of the value around 1, such as [0.5, 2]");
    } else if (!number.assumed) {
        keys.mistake("range", "'range' is for an assumed number (add assumed = true)");
    } else {
        number.lowest = factor(0);
        number.highest = factor(1);
    }
}

/// A number, or a table with one for each format of products.
void NumberReader::read_by_format(TableReader& keys, NumberKey const& key, std::string const& name) {
    if (!key.by_format) return read(keys, key, name);
    auto const* node = keys.node(key.name);
    auto const* by_format = node == nullptr || node->as_table() == nullptr || node->as_table()->contains("value")
                                ? nullptr
                                : node->as_table();
    if (by_format == nullptr) {
        for (auto const& format : machine_->formats) read(keys, key, name + "." + format);
        return;
    }
    TableReader each_format(*by_format, file_, *mistakes_);
    for (auto const& format : machine_->formats)
        read(each_format, {format, key.dimension, "", false, key.range}, name + "." + format);
    each_format.refuse_unknown_keys();
}

sim::Dimension NumberReader::dimension_in(TableReader& keys, std::string const& unit) {
    try {
        return sim::parse_unit(unit).dimension;
    } catch (sim::InputError const& error) {
        keys.mistake("unit", error.what());
        return {};
    }
}

std::optional<Component> ComponentReader::read(std::string_view section, std::string const& name,
                                               toml::table const& one) {
    TableReader keys(one, file_, *mistakes_);
    Component component{name, "", place(file_, one.source()), {}, {}};
    auto const kinds = kind_names(section);
    component.kind = keys.one_of("kind", kinds);
    if (component.kind.empty()) return std::nullopt;
    auto const& kind = component_kind(section, component.kind);
    auto const open =
        kind.part == nullptr ? std::set<std::string>() : opened_keys(keys, *kind.part, *machine_, component);
    for (auto const& key : kind.numbers)
        if (!open.contains(key.name)) read_by_format(keys, key, component.of(key.name));
    for (auto const& key : kind.texts) {
        auto const* written = keys.node(key.name);
        if (open.contains(key.name) || (!key.required && written == nullptr)) continue;
        bool const is_chosen = written != nullptr && written->value_or(std::string()).starts_with('{');
        auto text = key.choices.empty() || is_chosen ? keys.text(key.name) : keys.one_of(key.name, key.choices);
        if (key.name == "timing" && names_own_file(text))  // from the folder of the machine
            text = source_path(file_.parent_path() / text).string();
        if (key.name == "type") check_memory_type(keys, text);
        component.texts.emplace(key.name, std::move(text));
    }
    read_energies(keys, kind, component, "energy", component.energies);
    if (section == "memory") read_energies(keys, kind, component, "write_energy", component.write_energies);
    keys.refuse_unknown_keys();
    return component;
}

void ComponentReader::read_energies(TableReader& keys, ComponentKind const& kind, Component const& component,
                                    std::string const& key, std::vector<std::string>& to) {
    auto const* energy = table_of(keys, key);
    if (energy == nullptr) return;
    TableReader rows(*energy, file_, *mistakes_);
    for (auto const& row : energy_rows) {
        std::string const name(row.name);
        bool const of_kind = (name == "links") == (kind.name == "link");
        if (!of_kind || rows.node(name) == nullptr) continue;
        to.push_back(name);
        read_by_format(rows, {name, kind.energy, "", kind.energy_by_format},
                       component.of(fmt::format("{}.{}", key, name)));
    }
    rows.refuse_unknown_keys();
}

void take_constants_of_parts(MachineFile& machine) {
    for (auto const& unit : machine.units) {
        auto const* part = part_kind(unit.kind);
        if (part == nullptr || part->constants == nullptr) continue;
        auto const shipped = part->constants();
        auto const take = [&](std::string const& text) {
            for (auto const& word : words_of(text)) {
                auto const name = without_prefix(word);
                bool const of_parameter = find_parameter(machine.parameters, name) >= 0;
                auto const row = shipped.all().find(name);
                if (row == shipped.all().end() || of_parameter != (name != word)) continue;
                machine.constants.try_emplace(name, row->second);
                if (of_parameter) machine.prefixed.insert(name);
            }
        };
        for (auto const& number : machine.numbers) take(number.text);
        for (auto const& limit : machine.limits) take(limit.condition);
        for (auto const& rule : machine.rules_of_constants) take(rule.condition);
    }
}

/// A rule, or a list of rules that are followed one after the other.
void RuleReader::read(std::string const& pattern, toml::node const& node) {
    auto const* list = node.as_array();
    chooses_alone_ = list == nullptr;
    if (list == nullptr) return read_rule(pattern, node, false);
    if (list->empty())
        mistakes_->push_back(fmt::format("{}: \"{}\" is an empty list", place(file_, node.source()), pattern));
    for (std::size_t i = 0; i < list->size(); ++i) read_rule(pattern, (*list)[i], i > 0);
}

void RuleReader::read_rule(std::string const& pattern, toml::node const& node, bool continues) {
    WrittenRule rule;
    rule.continues = continues;
    rule.pattern = pattern;
    rule.place = place(file_, node.source());
    rule.number = fmt::format("run.{}", machine_->rules.size());
    toml::table const none;
    auto const* one = node.as_table();
    if (node.is_string()) {
        rule.on = node.value_or(std::string());
    } else if (one == nullptr) {
        mistakes_->push_back(fmt::format("{}: \"{}\" is neither a component nor a table", rule.place, pattern));
        return;
    }
    TableReader keys(one == nullptr ? none : *one, file_, *mistakes_);
    std::vector<std::string> several;
    if (one != nullptr) {
        several = read_choice(keys, *one, rule);
        if (rule.on.empty()) rule.on = keys.text_or("on", "");
        rule.free = keys.text_or("free", "");
        rule.name = keys.text_or("name", "");
        rule.beside = keys.text_or("beside", "");
        rule.together = keys.flag_or("together", false) || !rule.beside.empty();
        rule.masked = keys.flag_or("masked", false);
        if (keys.node("repeat") != nullptr) rule.per_token = keys.one_of("repeat", {"tokens"}) == "tokens";
    }
    if (rule.choose != Choose::nothing && (continues || !chooses_alone_))
        keys.mistake("choose", "'choose' stands in a list of rules (a choice is a rule of its own)");
    do {
        for (auto key : keys_of("run")) {
            // Of logits, the operator before may leave what a unit keeps; weights, keys and values come from memory.
            if (key.name == "reads" && !pattern.ends_with("sampling")) key.range = NumberRange::factor;
            NumberReader::read(keys, key, rule.number + "." + key.name);
        }
        check_cost(rule, one != nullptr && std::ranges::any_of(std::array{"wait", "kernel", "sends", "results"},
                                                               [&](char const* key) { return one->contains(key); }));
        machine_->rules.push_back(rule);
        if (several.empty()) break;
        rule.alternative = true;
        rule.choose = Choose::nothing;
        rule.on = several.front();
        rule.number = fmt::format("run.{}", machine_->rules.size());
        several.erase(several.begin());
    } while (true);
    keys.refuse_unknown_keys();
}

/// Several components, of which each pass takes one: sets the first, and returns the others.
std::vector<std::string> RuleReader::read_choice(TableReader& keys, toml::table const& one, WrittenRule& rule) {
    auto const* list = one.get_as<toml::array>("on");
    if (list == nullptr) {
        if (keys.node("choose") != nullptr)
            keys.mistake("choose", "'choose' needs a list of components, on = [\"a\", \"b\"]");
        return {};
    }
    (void)keys.node("on");
    std::vector<std::string> names;
    for (auto const& entry : *list) names.push_back(entry.value_or(std::string()));
    if (!names.empty()) rule.on = names.front();
    rule.choose = keys.one_of("choose", {"time", "energy"}) == "energy" ? Choose::energy : Choose::time;
    if (names.size() < 2 || std::ranges::find(names, "") != names.end() ||
        std::set(names.begin(), names.end()).size() < names.size()) {
        keys.mistake("on", "'on' is not a list of two or more different components in quotes");
        return {};
    }
    if (!is_of_products(rule.pattern))
        keys.mistake("choose", fmt::format("\"{}\" is not chosen (passes choose who multiplies: \"*.weights\", "
                                           "\"*.attention\", \"*.lm_head\", or parts of them)",
                                           rule.pattern));
    return {names.begin() + 1, names.end()};
}

void RuleReader::check_cost(WrittenRule const& rule, bool waits) {
    bool const works = !rule.on.empty() || waits;
    if (!works && rule.free.empty())
        mistakes_->push_back(fmt::format(
            "{}: \"{}\" says neither a component (on), nor a time (wait, kernel), nor why it costs nothing (free)",
            rule.place, rule.pattern));
    if (works && !rule.free.empty())
        mistakes_->push_back(fmt::format("{}: \"{}\" is free and has a component or a time", rule.place, rule.pattern));
}

}  // namespace pimdse::models::text
