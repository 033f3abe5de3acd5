#include "models/text/part_reader.hpp"

#include "models/contract/constants.hpp"
#include "models/text/numbers.hpp"
#include "models/text/part_kinds.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

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

}  // namespace

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

void take_constants_of_parts(MachineFile& machine) {
    for (auto const& unit : machine.units) {
        auto const* part = part_kind(unit.kind);
        if (part == nullptr || part->constants == nullptr) continue;
        auto const shipped = part->constants();
        auto const take = [&](std::string const& text) {
            for (auto const& word : words_of(text))
                if (auto const row = shipped.all().find(word); row != shipped.all().end())
                    machine.constants.try_emplace(word, row->second);
        };
        for (auto const& number : machine.numbers) take(number.text);
        for (auto const& limit : machine.limits) take(limit.condition);
        for (auto const& rule : machine.rules_of_constants) take(rule.condition);
    }
}

}  // namespace pimdse::models::text
