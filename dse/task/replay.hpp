#pragma once

#include "dse/task/columns.hpp"

#include <cstddef>
#include <string>

namespace pimdse::dse::task {

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

}  // namespace pimdse::dse::task
