#pragma once

#include <filesystem>
#include <string>

/// Files that a command line names, looked at before anything is read or written.
namespace pimdse::dse::cli {

/// The path of an input that is there, can be read and is no directory, device or named pipe, from which nothing might
/// ever come. Throws MissingInput with the reason.
[[nodiscard]] std::filesystem::path input_file(std::string const& name);

/// The path of a space file: one that is there, or else the shipped one of this name, "quick" or, as `pimdse list
/// spaces` prints it, "spaces/quick.toml". Throws MissingInput with the reason and, where one is near, a shipped name.
[[nodiscard]] std::filesystem::path space_file(std::string const& name);

/// The path of a result file to write: a name that leaves room for NAME.journal beside it, and at the place no device,
/// pipe or socket, which would be replaced. Throws UsageError with the reason.
[[nodiscard]] std::filesystem::path output_file(std::string const& name);

/// Throws UsageError where the output is the input itself, which would be lost.
void refuse_same_file(std::filesystem::path const& input, std::filesystem::path const& output);

/// A name as it is printed: of a very long one, the beginning.
[[nodiscard]] std::string shown_name(std::string const& name);

}  // namespace pimdse::dse::cli
