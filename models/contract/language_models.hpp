#pragma once

#include "sim/workload.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// Names (lower case, file stem) of the models in models/llm, sorted.
[[nodiscard]] std::vector<std::string> language_model_names();
/// Reads models/llm/<name>.toml. Throws InputError with file and line.
[[nodiscard]] sim::LanguageModel load_language_model(std::string_view name);

}  // namespace pimdse::models
