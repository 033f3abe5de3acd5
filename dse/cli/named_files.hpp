#pragma once

#include "dse/space/space.hpp"
#include "dse/store/result_file.hpp"

#include <filesystem>
#include <string>
#include <vector>

/// Checks of the files that a command line names, made before anything is read or written.
namespace pimdse::dse::cli {

/// The path of an existing, readable input. Refuses directories, devices and named pipes (a pipe may never deliver
/// anything). Throws MissingInput with the reason.
[[nodiscard]] std::filesystem::path input_file(std::string const& name);

/// The names of the shipped spaces.
[[nodiscard]] std::vector<std::string> shipped_spaces();

/// The path of a space file: the file `name` if it exists, else the shipped space of this name, written as "quick" or,
/// as `pimdse list spaces` prints it, "spaces/quick.toml". Throws MissingInput with the reason and, if a shipped name
/// is similar, with that name.
[[nodiscard]] std::filesystem::path space_file(std::string const& name);

/// The path of a result file to write. The name must leave room for the suffix of NAME.journal, and must not be that of
/// a device, pipe or socket, which would be replaced. Throws UsageError with the reason.
[[nodiscard]] std::filesystem::path output_file(std::string const& name);

/// Throws UsageError if the output is the input file, which would be lost.
void refuse_same_file(std::filesystem::path const& input, std::filesystem::path const& output);

/// A name for a message; a very long one is shortened to its beginning and its length.
[[nodiscard]] std::string shown_name(std::string const& name);

/// Warns on standard error if an input of the results in the file has changed since: points evaluated now are then not
/// comparable with them.
void warn_changed_input(store::ResultFile const& file, space::Space const& space);

/// Throws InputError if the front of the file is at hybrid fidelity, a level that upmem had until version 0.1: its
/// points cannot be evaluated again.
void refuse_gone_level(store::ResultFile const& file);

/// "56 of 168 planned points are not in it", for a file that lacks points that its search planned (as a shard does); ""
/// for a complete file.
[[nodiscard]] std::string incomplete_text(store::ResultFile const& file);

/// Warns on standard error, with the name of the file, if the file is incomplete.
void warn_incomplete(store::ResultFile const& file);

/// Writes a new file. Throws UsageError for one that exists, StorageError if it cannot be written.
void write_new(std::filesystem::path const& file, std::string const& text);

}  // namespace pimdse::dse::cli
