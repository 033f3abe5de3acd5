#pragma once

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace pimdse::fuzz {

/// A file of this process with the text in it, for readers that take a path; the same one every time.
[[nodiscard]] inline std::filesystem::path file_with(std::string_view text) {
    static auto const path = std::filesystem::temp_directory_path() / ("pimdse_fuzz_" + std::to_string(::getpid()));
    std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
    return path;
}

}  // namespace pimdse::fuzz
