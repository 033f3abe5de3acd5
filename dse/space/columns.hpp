#pragma once

#include "dse/space/result.hpp"
#include "models/contract/architecture.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// One goal: a metric and which way is better.
struct Objective {
    std::size_t metric = 0;
    models::Sense better = models::Sense::minimize;
    bool operator==(Objective const&) const = default;
};

/// Which way is better, for each objective.
[[nodiscard]] inline std::vector<models::Sense> senses_of(std::span<Objective const> objectives) {
    std::vector<models::Sense> senses;
    for (auto const& objective : objectives) senses.push_back(objective.better);
    return senses;
}

/// A machine of several in one space: its points are a range of ids.
struct MachineColumns {
    std::string name, architecture;
    std::uint64_t first_id = 0, points = 0;
    models::ModelOptions options{};  ///< as in Columns
};

/// What a result file must know of the space its answers belong to: names, units and meanings of its columns, how an id
/// becomes a row, and the texts that identify the space.
struct Columns {
    std::string architecture;  ///< several: their machines, joined by "+"
    /// Of a space of several machines, ids ascending; else none. Parameters are then `machine`, and those of each as
    /// MACHINE.NAME, which at points of other machines are their defaults; metrics are as MachineMetrics says,
    /// NaN at points of other machines.
    std::vector<MachineColumns> machines;
    models::Parameters parameters;
    models::MetricList metrics;
    std::vector<Objective> objectives;
    models::ModelOptions options;  ///< constants of the user's own and assumptions; not known of a file that was read
    std::vector<std::string> scenarios;  ///< as `evaluate --scenario` takes them; not known of a file that was read
    /// The point with this id, one value per parameter; pure.
    std::function<void(PointId, std::vector<models::Value>&)> decode;
    std::string space_text;      ///< the space file as written
    std::string canonical_text;  ///< equal for equal spaces; the part of the digest that stands for the space
    std::uint64_t seed = 0;
    std::uint64_t points = 0;                                       ///< size of the space; 0 = not known
    std::vector<std::pair<std::string, std::string>> input_hashes;  ///< file name, SHA-256 of what was read
};

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

}  // namespace pimdse::dse::space
