#pragma once

#include "dse/space/result.hpp"
#include "models/contract/inputs.hpp"
#include "models/contract/metric.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// An objective: a metric and whether it is minimised or maximised.
struct Objective {
    std::size_t metric = 0;
    models::Sense better = models::Sense::minimize;
    bool operator==(Objective const&) const = default;
};

/// The sense (minimise or maximise) of each objective.
[[nodiscard]] inline std::vector<models::Sense> senses_of(std::span<Objective const> objectives) {
    std::vector<models::Sense> senses;
    for (auto const& objective : objectives) senses.push_back(objective.better);
    return senses;
}

/// "lower" or "higher": how a space says which values of a metric are better. Precondition: one of them is.
[[nodiscard]] inline std::string_view name_of_better(models::Sense better) {
    return better == models::Sense::maximize ? "higher" : "lower";
}

/// A value of which less is better: negated if it is maximised. Twice, it is the value again.
[[nodiscard]] inline double minimised(double value, models::Sense better) {
    return better == models::Sense::maximize ? -value : value;
}

/// One machine of a space with several machines; its points are a range of ids.
struct MachineColumns {
    std::string name, architecture;
    std::uint64_t first_id = 0, points = 0;
    models::ModelOptions options{};  ///< as in Columns
    std::string reference{};         ///< as in Columns
};

/// What a result file stores about the space of its results: names, units and meanings of its columns, the function
/// that decodes an id into a row, and the texts that identify the space.
struct Columns {
    std::string architecture;  ///< with several machines: their names joined by "+"
    /// The machines of a space with several machines, ids ascending; else empty. The parameters are then `machine` and
    /// the parameters of each machine as MACHINE.NAME, with default values at points of other machines. Metrics are
    /// named as in MachineMetrics and are NaN at points of other machines.
    std::vector<MachineColumns> machines;
    models::Parameters parameters;
    models::MetricList metrics;
    std::vector<Objective> objectives;
    models::ModelOptions options;  ///< user constants and assumptions; not filled in for a file that was read
    std::string reference;  ///< what a command line calls the architecture (models::reference_of); filled in as options
    std::vector<std::string>
        scenarios;  ///< in the syntax of `evaluate --scenario`; not filled in for a file that was read
    /// Decodes an id into one value per parameter. Pure.
    std::function<void(PointId, std::vector<models::Value>&)> decode;
    /// The values that decode() gives.
    [[nodiscard]] std::vector<models::Value> point(PointId id) const {
        std::vector<models::Value> values;
        decode(id, values);
        return values;
    }
    std::string space_text;      ///< the space file as written
    std::string canonical_text;  ///< equal for equal spaces; represents the space in the digest
    std::uint64_t seed = 0;
    std::uint64_t points = 0;                                       ///< size of the space; 0: unknown
    std::vector<std::pair<std::string, std::string>> input_hashes;  ///< file name, SHA-256 of its content
    /// The user's own files from which machines and tables were read, by path; their hashes are among input_hashes.
    std::vector<models::SourceFile> machine_files;
};

/// In a space of several machines: the name and position of the parameter that selects the machine.
inline constexpr std::string_view machine_parameter = "machine";
inline constexpr std::size_t at_machine_parameter = 0;

/// "umdam.channels": the name of a parameter or metric that belongs to one of several machines.
[[nodiscard]] inline std::string name_in_machine(std::string_view machine, std::string_view name) {
    return std::string(machine).append(".").append(name);
}

/// Whether a metric's name is a formula of metrics, such as "area + memory_area", rather than a single name. The
/// scenario name after @ may contain hyphens.
[[nodiscard]] inline bool is_formula(std::string_view name) {
    auto const at = name.find('@');
    return name.find_first_of(" +*/()") != std::string_view::npos ||
           name.substr(0, at).find('-') != std::string_view::npos;
}

/// {"umdam", "channels"}, or {"", "latency"} for a name that belongs to all machines. A scenario's name, which may
/// contain a dot, is not split.
[[nodiscard]] inline std::pair<std::string_view, std::string_view> machine_and_name(std::string_view name) {
    if (is_formula(name)) return {"", name};
    auto const dot = name.substr(0, name.find('@')).find('.');
    if (dot == std::string_view::npos) return {"", name};
    return {name.substr(0, dot), name.substr(dot + 1)};
}

/// The machine of the point with this id; nullptr in a space of one machine.
[[nodiscard]] inline MachineColumns const* machine_of(Columns const& columns, PointId id) {
    for (auto const& machine : columns.machines) {
        if (index_of(id) - machine.first_id < machine.points) return &machine;
    }
    return nullptr;
}

/// Whether a parameter or metric with this name applies to points of this machine.
[[nodiscard]] inline bool applies(std::string_view name, MachineColumns const* machine) {
    if (machine == nullptr) return true;
    auto const owner = machine_and_name(name).first;
    return owner.empty() || owner == machine->name;
}

/// Position of the machine of the point with this id; 0 in a space of one machine.
[[nodiscard]] inline std::size_t machine_index(Columns const& columns, PointId id) {
    auto const* machine = machine_of(columns, id);
    return machine == nullptr ? 0 : static_cast<std::size_t>(machine - columns.machines.data());
}

/// By machine: the parameters that its points do not have; a single empty entry for a space of one machine.
[[nodiscard]] std::vector<std::vector<bool>> absent_by_machine(Columns const& columns);

/// A word quoted for a shell where necessary.
[[nodiscard]] std::string shell_word(std::string const& word);

/// Fills in what the columns of a file lack for the commands below, from those of its space.
void add_replay(Columns& of_file, Columns const& of_space);

/// The command that evaluates this point again: sets every parameter that is not at its default, quoted for a shell.
[[nodiscard]] std::string replay_command(Columns const& columns, Task task);

/// The architecture in that command: `reference`, or `name` for results of a file whose space is not known.
[[nodiscard]] std::string replay_architecture(std::string const& reference, std::string const& name);
/// Parts of that command after architecture and fidelity. " --set NAME=VALUE"; "" for a default value and for the
/// parameter that selects the machine.
[[nodiscard]] std::string replay_words(Columns const& columns, std::size_t parameter, models::Value const& value);
/// " --constants FILE --assume NAME=VALUE ..."; "" without options.
[[nodiscard]] std::string replay_options(models::ModelOptions const& options);
/// " --scenario ..." for each scenario.
[[nodiscard]] std::string replay_scenarios(Columns const& columns);

/// A value for display, with the unit prefix that reads best: "450 MHz", "1 TB/s", "8 MiB". models::print_value gives
/// all digits.
[[nodiscard]] std::string shown_value(models::Parameter const& parameter, models::Value const& value);

}  // namespace pimdse::dse::space
