// A config.json that a test writes, read as a model.
#pragma once

#include "models/llm/language_models.hpp"
#include "tests/unit/models/contract/temporary_file.hpp"
#include "tests/unit/refused.hpp"

#include <string>
#include <vector>

namespace pimdse::models::testing {

inline LanguageModel model_of(std::string const& config) {
    TemporaryFile const file(config, ".json");
    return load_language_model(file.path().string());
}

inline std::vector<std::string> mistakes_of(std::string const& config) {
    return mistakes_by([&] { (void)model_of(config); });
}

}  // namespace pimdse::models::testing
