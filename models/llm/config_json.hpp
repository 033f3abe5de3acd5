#pragma once

#include "models/llm/config_values.hpp"
#include "models/llm/workload.hpp"

#include <filesystem>

namespace pimdse::models {

/// A model from the config.json that published models carry. Fields that change no shape (dropout, token ids, ...) are
/// ignored; a field that does and is not modelled is refused by its name. `published_parameters` is 0, because no
/// config.json states it; `weight_format` is that of `quantization_config`. Throws InputError with all mistakes, each
/// with file and line.
[[nodiscard]] LanguageModel read_config_json(std::filesystem::path const& file);

/// Reads widths, heads, tables and networks of a model by the usual keys and the [shape] of its family.
void read_shape(ConfigValues& values, LanguageModel& model);

}  // namespace pimdse::models
