#pragma once

#include "models/llm/config_reader.hpp"
#include "models/llm/workload.hpp"

#include <span>
#include <string_view>

namespace pimdse::models {

/// How the config.json of one `model_type` is read.
struct ConfigFamily {
    std::string_view name;
    void (*read)(ConfigReader& file, LanguageModel& model);
};

/// All families, sorted by name.
[[nodiscard]] std::span<ConfigFamily const> config_readers();

}  // namespace pimdse::models
