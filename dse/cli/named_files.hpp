#pragma once

#include "dse/space/space.hpp"
#include "dse/store/result_file.hpp"

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

/// On standard error, if what a file's answers were computed from is not what is there now: what is evaluated beside
/// them does not fit to them.
void say_changed_input(store::ResultFile const& file, space::Space const& space);

/// "56 of 168 planned points are not in it", of a file that does not have all that its search planned, a shard among
/// them; else "".
[[nodiscard]] std::string incomplete_text(store::ResultFile const& file);

/// The same on standard error, with the file's name.
void say_incomplete(store::ResultFile const& file);

}  // namespace pimdse::dse::cli
