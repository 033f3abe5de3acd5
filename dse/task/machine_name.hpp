#pragma once

#include "dse/task/columns.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace pimdse::dse::task {

/// In a space of several machines the parameter that says which it is, and its position.
inline constexpr std::string_view machine_parameter = "machine";
inline constexpr std::size_t at_machine_parameter = 0;

/// "umdam.channels": what only one machine of several has.
[[nodiscard]] inline std::string name_in_machine(std::string_view machine, std::string_view name) {
    return std::string(machine).append(".").append(name);
}

/// Whether a metric's name is a formula of metrics, such as "area + memory_area", and not a word; what stands behind @
/// may have hyphens.
[[nodiscard]] inline bool is_formula(std::string_view name) {
    auto const at = name.find('@');
    return name.find_first_of(" +*/()") != std::string_view::npos ||
           name.substr(0, at).find('-') != std::string_view::npos;
}

/// {"umdam", "channels"}; {"", "latency"} for what all have. A scenario's name, which may have a dot, stays.
[[nodiscard]] inline std::pair<std::string_view, std::string_view> machine_and_name(std::string_view name) {
    if (is_formula(name)) return {"", name};
    auto const dot = name.substr(0, name.find('@')).find('.');
    if (dot == std::string_view::npos) return {"", name};
    return {name.substr(0, dot), name.substr(dot + 1)};
}

/// The machine that the point with this id is of; nullptr where there is one architecture only.
[[nodiscard]] inline MachineColumns const* machine_of(Columns const& columns, PointId id) {
    for (auto const& machine : columns.machines) {
        if (index_of(id) - machine.first_id < machine.points) return &machine;
    }
    return nullptr;
}

/// Whether a parameter or metric of this name says something of the points of a machine.
[[nodiscard]] inline bool applies(std::string_view name, MachineColumns const* machine) {
    if (machine == nullptr) return true;
    auto const owner = machine_and_name(name).first;
    return owner.empty() || owner == machine->name;
}

}  // namespace pimdse::dse::task
