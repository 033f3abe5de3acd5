#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace pimdse::sim {

/// The bytes of a file; nothing if it cannot be read.
[[nodiscard]] inline std::optional<std::string> file_text(std::filesystem::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    return stream ? std::optional(std::move(content).str()) : std::nullopt;
}

}  // namespace pimdse::sim
