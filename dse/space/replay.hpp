#pragma once

#include "dse/space/columns.hpp"
#include "models/contract/architecture.hpp"

#include <cstddef>
#include <string>

namespace pimdse::dse::space {

/// A word as a shell takes it: quoted where it must be.
[[nodiscard]] std::string shell_word(std::string const& word);

/// The command that evaluates this point again: every parameter that is not at its default, quoted for a shell.
[[nodiscard]] std::string replay_command(Columns const& columns, Task task);

/// What it is put together from, behind architecture and fidelity. " --set NAME=VALUE"; "" for the default, and for
/// what says which machine a point is of.
[[nodiscard]] std::string replay_words(Columns const& columns, std::size_t parameter, models::Value const& value);
/// " --constants FILE --assume NAME=VALUE ...", or "" where nothing is said.
[[nodiscard]] std::string replay_options(models::ModelOptions const& options);
/// " --scenario ..." for each.
[[nodiscard]] std::string replay_scenarios(Columns const& columns);

/// A value for people, in the multiple of its unit that reads best: "450 MHz", "1 TB/s", "8 MiB"; models::print_value
/// has it to the last digit.
[[nodiscard]] std::string shown_value(models::Parameter const& parameter, models::Value const& value);

}  // namespace pimdse::dse::space
