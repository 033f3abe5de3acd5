#include "dse/space/columns.hpp"

#include "models/contract/assumptions.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace pimdse::dse::space {
namespace {

bool is_plain(char c) {
    return std::string_view("-_./:=,+%@").find(c) != std::string_view::npos ||
           std::isalnum(static_cast<unsigned char>(c)) != 0;
}

constexpr int digits = 6;

/// Bytes with a binary prefix if they are a multiple of 1024.
std::string shown_bytes(double bytes) {
    constexpr double kibi = 1024.0;
    bool const whole =
        bytes >= kibi && bytes < 0x1p63 && bytes == static_cast<double>(static_cast<std::int64_t>(bytes));
    if (whole && static_cast<std::int64_t>(bytes) % 1024 == 0) return sim::print_quantity(bytes, "B", digits);
    return whole ? fmt::format("{:.0f} B", bytes) : sim::print_quantity(bytes, "B", digits);
}

std::string shown_quantity(models::Parameter const& parameter, double si) {
    static constexpr std::array<std::string_view, 8> names{"s", "Hz", "J", "W", "B", "B/s", "FLOP/s", "m"};
    auto const dimension = sim::parse_unit(parameter.unit).dimension;
    for (auto const name : names) {
        if (sim::parse_unit(name).dimension != dimension) continue;
        return name == "B" ? shown_bytes(si) : sim::print_quantity(si, name, digits);
    }
    return models::print_value(parameter, models::Value::quantity(si));
}

}  // namespace

std::vector<std::vector<bool>> absent_by_machine(Columns const& columns) {
    if (columns.machines.empty()) return {{}};
    std::vector<std::vector<bool>> absent;
    for (auto const& machine : columns.machines) {
        auto& missing = absent.emplace_back();
        for (auto const& parameter : columns.parameters) missing.push_back(!applies(parameter.name, &machine));
    }
    return absent;
}

std::string shell_word(std::string const& word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
    std::string text = "'";
    for (char const c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

void add_replay(Columns& of_file, Columns const& of_space) {
    of_file.scenarios = of_space.scenarios;
    of_file.options = of_space.options;
    of_file.reference = of_space.reference;
    of_file.machines = of_space.machines;
}

std::string replay_architecture(std::string const& reference, std::string const& name) {
    return shell_word(reference.empty() ? name : reference);
}

std::string replay_words(Columns const& columns, std::size_t at, models::Value const& value) {
    auto const& parameter = columns.parameters[at];
    bool const says_machine = !columns.machines.empty() && at == at_machine_parameter;
    if (says_machine || value == parameter.default_value) return "";
    auto const name =
        columns.machines.empty() ? std::string_view(parameter.name) : machine_and_name(parameter.name).second;
    return " --set " + shell_word(fmt::format("{}={}", name, models::print_value(parameter, value)));
}

std::string replay_scenarios(Columns const& columns) {
    std::string words;
    for (auto const& scenario : columns.scenarios) words += " --scenario " + shell_word(scenario);
    return words;
}

std::string replay_options(models::ModelOptions const& options) {
    std::string words = options.constants.empty() ? "" : " --constants " + shell_word(options.constants);
    for (auto const& [key, text] : models::texts_of(options.assumptions))
        words += " --assume " + shell_word(fmt::format("{}={}", key, text));
    return words;
}

std::string replay_command(Columns const& columns, Task task) {
    auto const point = columns.point(task.point);
    auto const* machine = machine_of(columns, task.point);
    std::string command =
        fmt::format("pimdse evaluate {} --fidelity {}",
                    machine == nullptr ? replay_architecture(columns.reference, columns.architecture)
                                       : replay_architecture(machine->reference, machine->architecture),
                    models::name_of(task.fidelity));
    for (std::size_t i = 0; i < point.size(); ++i) {
        if (applies(columns.parameters[i].name, machine)) command += replay_words(columns, i, point[i]);
    }
    command += replay_options(machine == nullptr ? columns.options : machine->options);
    return command + replay_scenarios(columns);
}

std::string shown_value(models::Parameter const& parameter, models::Value const& value) {
    if (value.kind() == models::Kind::quantity && !parameter.unit.empty())
        return shown_quantity(parameter, value.as_quantity());
    if (value.kind() == models::Kind::integer && parameter.unit == "B")
        return shown_bytes(static_cast<double>(value.as_integer()));
    return models::print_value(parameter, value);
}

}  // namespace pimdse::dse::space
