#pragma once

#include <filesystem>
#include <string>

namespace pimdse::models::text {

/// The text of a machine file with this name, made from a system of AIConfigurator (YAML) or a cluster of LLMServingSim
/// (JSON): a board that comes with the program, with the figures of the file in place of its own. Its comments say what
/// was taken, what is the board's and what of the file is not used. Throws InputError with file and line.
[[nodiscard]] std::string imported_machine(std::filesystem::path const& file, std::string const& name);

}  // namespace pimdse::models::text
