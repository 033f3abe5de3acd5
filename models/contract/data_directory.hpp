#pragma once

#include <filesystem>

namespace pimdse::models {

/// ../share/pimdse of the folder that the running program lies in: where an installed program has its data, wherever
/// it was moved to. Nothing says that it is there.
[[nodiscard]] std::filesystem::path installed_directory();

/// Where models/ and spaces/ are: $PIMDSE_DATA if set, else the installed folder, else the source tree the program was
/// built from. Throws InputError if none has a models folder.
[[nodiscard]] std::filesystem::path data_directory();

}  // namespace pimdse::models
