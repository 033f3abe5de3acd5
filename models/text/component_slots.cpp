#include "models/text/component_slots.hpp"

#include "models/dram/dram_standard.hpp"
#include "models/text/part_kinds.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"
#include "sim/dram/mapping.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace pimdse::models::text {
namespace {

UnitKind kind_of(Component const& unit) {
    if (unit.kind == "vector") return UnitKind::vector;
    if (unit.kind == "bank_pim") return UnitKind::bank_pim;
    if (part_kind(unit.kind) != nullptr) return UnitKind::part;
    return unit.kind == "array" ? UnitKind::array : UnitKind::roof;
}

/// The type that a memory names, or that of its timing set; nothing if it has neither.
std::optional<economy::MemoryKind> memory_type(Component const& memory, sim::dram::Standard const& standard) {
    using sim::dram::Family;
    if (auto const named = memory.texts.find("type"); named != memory.texts.end()) {
        auto const known = std::ranges::find(economy::memory_names, named->second);
        sim::expects(known != economy::memory_names.end(), "the reader knows the type");
        return static_cast<economy::MemoryKind>(known - economy::memory_names.begin());
    }
    if (memory.kind != "dram") return std::nullopt;
    constexpr std::array of_families{
        std::pair{Family::ddr4, economy::MemoryKind::ddr4}, std::pair{Family::lpddr5, economy::MemoryKind::lpddr5},
        std::pair{Family::gddr6, economy::MemoryKind::gddr6}, std::pair{Family::hbm2, economy::MemoryKind::hbm2}};
    auto const found = std::ranges::find(of_families, standard.family, &std::pair<Family, economy::MemoryKind>::first);
    return found == of_families.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::size_t memory_at(MachineFile const& file, std::string_view name) {
    auto const found = std::ranges::find(file.memories, name, &Component::name);
    return static_cast<std::size_t>(found - file.memories.begin());
}

std::vector<std::string> in_braces(std::string const& sentence) {
    std::vector<std::string> names;
    for (auto open = sentence.find('{'); open != std::string::npos; open = sentence.find('{', open + 1)) {
        auto const close = sentence.find('}', open);
        if (close != std::string::npos) names.push_back(sentence.substr(open + 1, close - open - 1));
    }
    return names;
}

EnergySlots SlotsOfFile::energies(std::string const& prefix, std::vector<std::string> const& rows,
                                  std::string const& format) const {
    EnergySlots slots;
    for (auto const& row : rows) {
        auto const name = prefix + "." + row;
        slots.emplace_back(energy_row(row), numbers_.at(format.empty() ? name : name + "." + format));
    }
    return slots;
}

MemorySlots SlotsOfFile::of_memory(Component const& m) const {
    auto const at = [&](std::string_view key) { return numbers_.at(m.of(key)); };
    MemorySlots slots;
    slots.simulated = m.kind == "dram";
    slots.is_tier = m.kind == "tier";
    if (slots.simulated) {
        slots.timing = m.texts.at("timing");
        auto const mapping = m.texts.find("mapping");
        slots.mapping = mapping == m.texts.end() ? "conventional" : mapping->second;
        try {
            slots.standard = load_dram_standard(slots.timing);
            (void)sim::dram::parse_mapping(slots.mapping, slots.standard.organisation);
        } catch (sim::InputError const& error) {
            mistakes_.push_back(fmt::format("{}: {}", m.place, error.what()));
        }
    }
    if (slots.simulated) slots.channels = at("channels");
    if (!slots.simulated) slots.bandwidth = at("bandwidth"), slots.write_bandwidth = at("write_bandwidth");
    if (slots.is_tier) slots.latency = at("latency"), slots.relayout = at("relayout");
    if (!slots.is_tier) slots.clock_share = at("clock_share");
    slots.share = at("share");
    slots.capacity = at("capacity"), slots.usable = at("usable"), slots.installed = at("installed");
    slots.area = at("area"), slots.memory_area = at("memory_area");
    slots.static_power = at("static_power"), slots.working_power = at("working_power");
    slots.packages = at("packages"), slots.package_limit = at("package_limit");
    slots.cost = at("cost"), slots.carbon = at("carbon");
    slots.type = memory_type(m, slots.standard);
    slots.energies = energies(m.of("energy"), m.energies);
    slots.write_energies = m.write_energies.empty() ? slots.energies : energies(m.of("write_energy"), m.write_energies);
    return slots;
}

/// Choices that a parameter decides must all be those of the key.
std::vector<PartSlot> SlotsOfFile::of_part(Component const& u) const {
    std::vector<PartSlot> slots;
    for (auto const& key : part_kind(u.kind)->keys) {
        auto& slot = slots.emplace_back();
        slot.fixed = key.default_value;
        auto const known = PartKind::texts_of(key);
        if (known.empty()) {
            slot.number = numbers_.at(u.of(key.name));
            if (key.kind == Kind::integer && !key.unit.empty()) slot.unit = sim::parse_unit(key.unit).in_si;
            continue;
        }
        auto const text = u.texts.find(key.name);
        if (text == u.texts.end()) continue;
        auto const position = [&](std::string const& one) {
            auto const found = std::ranges::find(known, one);
            if (found == known.end())
                mistakes_.push_back(fmt::format("{}: {} may be {}, and '{}' is none of them.{}", u.place,
                                                u.of(key.name), fmt::join(known, ", "), sim::clipped(one),
                                                sim::suggestion(one, known)));
            return static_cast<std::size_t>(found - known.begin());
        };
        auto const names = in_braces(text->second);
        if (names.empty()) {
            auto const at = position(text->second);
            slot.fixed = key.kind == Kind::flag ? Value::flag(at == 1) : Value::choice(at);
            continue;
        }
        auto const parameter = find_parameter(parameters_, names.front());
        if (parameter < 0 || parameters_[static_cast<std::size_t>(parameter)].kind != key.kind) {
            mistakes_.push_back(fmt::format("{}: '{}' of {} is not a parameter {}", u.place,
                                            sim::clipped(names.front()), u.of(key.name),
                                            key.kind == Kind::flag ? "that is a flag" : "with choices"));
            continue;
        }
        slot.parameter = static_cast<std::size_t>(parameter);
        if (parameters_[*slot.parameter].accepts != nullptr) continue;
        for (auto const& choice : parameters_[*slot.parameter].choices) slot.choices.push_back(position(choice));
    }
    return slots;
}

UnitSlots SlotsOfFile::of_unit(Component const& u) const {
    auto const at = [&](std::string_view key) { return numbers_.at(u.of(key)); };
    UnitSlots slots;
    slots.kind = kind_of(u);
    for (auto const& format : file_.formats) {
        if (slots.kind == UnitKind::roof) slots.rate.push_back(at("rate." + format));
        slots.share.push_back(at("share." + format));
        slots.energies.push_back(energies(u.of("energy"), u.energies, format));
    }
    switch (slots.kind) {
        case UnitKind::roof:
            slots.tile = at("tile"), slots.tile_buffer = at("tile_buffer");
            break;
        case UnitKind::vector:
            slots.frequency = at("frequency"), slots.lanes = at("lanes"), slots.per_cycle = at("per_cycle");
            break;
        case UnitKind::array:
            slots.rows = at("rows"), slots.columns = at("columns"), slots.count = at("count");
            slots.frequency = at("frequency"), slots.fill = at("fill"), slots.cycle_energy = at("cycle_energy");
            slots.tile = at("tile"), slots.packed = at("packed");
            if (auto const buffer = u.texts.find("buffer"); buffer != u.texts.end())
                slots.buffer = memory_at(file_, buffer->second);
            break;
        case UnitKind::bank_pim:
            slots.memory = memory_at(file_, u.texts.at("memory"));
            slots.mac_interval = at("mac_interval"), slots.global_buffer = at("global_buffer");
            slots.value_channels = at("value_channels"), slots.standby_share = at("standby_share");
            break;
        case UnitKind::part:
            slots.part = part_kind(u.kind);
            slots.values = of_part(u);
            break;
    }
    slots.waiting_power = at("waiting_power"), slots.area = at("area"), slots.static_power = at("static_power");
    return slots;
}

}  // namespace pimdse::models::text
