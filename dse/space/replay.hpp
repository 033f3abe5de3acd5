#pragma once

#include "dse/space/columns.hpp"

#include <cstddef>
#include <string>

namespace pimdse::dse::space {

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
