#pragma once

#include "models/llm/config_modules.hpp"
#include "models/llm/config_reader.hpp"

#include <span>
#include <string_view>

namespace pimdse::models {

/// A method by which weights are converted, with the name that files have for it.
struct FormatMethod {
    std::string_view name;
    /// Reads the section of a file into rules.
    void (*read)(ConfigReader& file, FormatRules& rules);
};

/// All methods, sorted by name.
[[nodiscard]] std::span<FormatMethod const> format_methods();

}  // namespace pimdse::models
