#pragma once

#include "models/contract/architecture.hpp"

#include <filesystem>
#include <vector>

/// Machines that are text files.
namespace pimdse::models::text {

/// The machine of a file (docs/own_machine.md), alone and in groups of devices. Its member `files` has every file that
/// was read. `kept`: texts that are taken instead of the files of these paths, as a result file keeps them. Throws
/// InputError with every mistake, with file, line and suggestion.
[[nodiscard]] Architecture architecture(std::filesystem::path const& file, std::vector<SourceFile> const& kept = {});

}  // namespace pimdse::models::text
