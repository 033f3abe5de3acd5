#pragma once

#include "models/llm/tensor_entry.hpp"

#include <filesystem>

namespace pimdse::models {

/// The headers of a safetensors file, or of an index with the files of its folder. Of files that are missing only the
/// bytes are known, as `total_size` of the metadata. Throws InputError with one sentence as read_gguf does.
[[nodiscard]] TensorFile read_safetensors(std::filesystem::path const& file);

}  // namespace pimdse::models
