#pragma once

#include "models/contract/architecture.hpp"

#include <filesystem>

/// Machines that are text files. docs/own_machine.md.
namespace pimdse::models::text {

/// The machine of a file, alone and in groups of devices. Throws InputError with every mistake, with file, line and
/// suggestion.
[[nodiscard]] Architecture architecture(std::filesystem::path const& file);

}  // namespace pimdse::models::text
