#pragma once

#include "models/llm/tensor_entry.hpp"

#include <filesystem>

namespace pimdse::models {

/// The header of a GGUF file of version 2 or 3 (little-endian), with the other parts of a file that is split. Throws
/// InputError with one sentence if it cannot be read, is cut, or states sizes that are not in it; memory is a small
/// multiple of the bytes of the header.
[[nodiscard]] TensorFile read_gguf(std::filesystem::path const& file);

}  // namespace pimdse::models
