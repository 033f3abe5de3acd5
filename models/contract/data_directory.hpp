#pragma once

#include <filesystem>

namespace pimdse::models {

/// Where models/ and spaces/ are: $PIMDSE_DATA if set, else the source tree the binary was built from, else
/// ../share/pimdse beside the binary. Throws InputError if none has a models folder.
[[nodiscard]] std::filesystem::path data_directory();

}  // namespace pimdse::models
