#pragma once

#include "models/contract/architecture.hpp"
#include "models/llm/workload.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// Names (lower case, file stem) of the models in models/llm, sorted.
[[nodiscard]] std::vector<std::string> language_model_names();
/// Reads models/llm/<name>.toml, or the file where the name is a path that ends in .toml (own_file.hpp). Throws
/// InputError with file and line.
[[nodiscard]] LanguageModel load_language_model(std::string_view name);

/// A choice of models, which may be a file of the user's own, too.
[[nodiscard]] Parameter or_own_model(Parameter parameter);

}  // namespace pimdse::models
