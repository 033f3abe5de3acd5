#pragma once

#include "models/contract/architecture.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// The machine of a file, as text::architecture reads it, for as long as the program runs; two readings of the same
/// text give the same object. Throws InputError with every mistake; also for a file of the user's own that has the name
/// of a shipped architecture.
[[nodiscard]] Architecture const& machine_of_file(std::filesystem::path const& file,
                                                  std::vector<SourceFile> const& kept = {});

/// Names of the machines that come with the program and are not in the catalogue: models/machines/NAME.toml, sorted.
[[nodiscard]] std::vector<std::string> shipped_machines();

/// Whether an architecture that comes with the program has this name, be it built in or a file.
[[nodiscard]] bool is_shipped_name(std::string_view name);

/// The file of the shipped machine of this name; nothing if there is none.
[[nodiscard]] std::optional<std::filesystem::path> shipped_machine(std::string_view name);

/// Whether the machine is a shipped one.
[[nodiscard]] bool is_shipped(SourceFile const& machine);

}  // namespace pimdse::models
