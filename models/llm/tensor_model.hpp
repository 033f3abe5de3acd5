#pragma once

#include "models/llm/workload.hpp"

#include <filesystem>

namespace pimdse::models {

/// A model from the header of a GGUF file: widths from the shapes of its tensors, heads and windows from its values,
/// formats from the types of its tensors, one by one. Throws InputError.
[[nodiscard]] LanguageModel read_gguf_model(std::filesystem::path const& file);

/// A model from a safetensors file or its index: with a config.json beside it, its shape is the one that this file
/// states and that the header must agree with; else widths from the shapes of its tensors. Throws InputError.
[[nodiscard]] LanguageModel read_safetensors_model(std::filesystem::path const& file);

/// A model from a folder: its config.json with the bytes of the tensors beside it, or else its only GGUF file or its
/// safetensors files. Throws InputError.
[[nodiscard]] LanguageModel read_model_folder(std::filesystem::path const& folder);

}  // namespace pimdse::models
