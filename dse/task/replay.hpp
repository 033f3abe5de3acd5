#pragma once

#include "dse/task/columns.hpp"

#include <string>

namespace pimdse::dse::task {

/// The command that evaluates this point again: every parameter that is not at its default, quoted for a shell.
[[nodiscard]] std::string replay_command(Columns const& columns, Task task);

}  // namespace pimdse::dse::task
