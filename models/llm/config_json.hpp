#pragma once

#include "models/llm/workload.hpp"

#include <filesystem>

namespace pimdse::models {

/// A model from the config.json that published models carry. Fields that change no shape (dropout, token ids, ...) are
/// ignored; a field that does and is not modelled is refused by its name. `published_parameters` is 0, because no
/// config.json states it; `weight_format` is that of `quantization_config`. Throws InputError with all mistakes, each
/// with file and line.
[[nodiscard]] LanguageModel read_config_json(std::filesystem::path const& file);

}  // namespace pimdse::models
