#pragma once

#include "models/contract/parameter.hpp"
#include "models/llm/workload.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models {

/// Names of the models in models/llm (lower case, file stem), sorted.
[[nodiscard]] std::vector<std::string> language_model_names();
/// Reads models/llm/<name>.toml, or the file itself if the name is a path that ends in .toml, or in .json for a
/// config.json (models/contract/parameter_text.hpp). Throws InputError with file and line.
[[nodiscard]] LanguageModel load_language_model(std::string_view name);

/// The same; a model that is shipped is read once, since machines are prepared for every draw of their constants.
[[nodiscard]] std::shared_ptr<LanguageModel const> shared_language_model(std::string const& name);

/// What a request to a model implies of how it generates, as key and value: {"generation", "diffusion"}; nothing for
/// models that generate token by token. Throws InputError as above.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> implied_generation(std::string const& model);

/// A choice of models that also accepts a file of the user.
[[nodiscard]] Parameter or_own_model(Parameter parameter);

}  // namespace pimdse::models
