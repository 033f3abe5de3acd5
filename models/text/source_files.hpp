#pragma once

#include "models/contract/inputs.hpp"

#include <toml++/impl/forward_declarations.h>
#include <filesystem>
#include <string>
#include <vector>

namespace pimdse::models::text {

/// The absolute path of a file without "." and "..", as SourceFile has it.
[[nodiscard]] std::filesystem::path source_path(std::filesystem::path const& file);

/// Reads the files of one machine and remembers what it read, so that results can be tied to exactly that text.
class SourceFiles {
  public:
    /// `kept`: texts that are taken instead of the files of these paths, as a result file keeps them.
    explicit SourceFiles(std::vector<SourceFile> kept = {}) : kept_(std::move(kept)) {}

    /// The text of a file; a file that was read before is not read again. Throws InputError with one sentence, which
    /// begins with the path as given, if it cannot be read, is not text, or is larger than 16 MiB.
    [[nodiscard]] std::string read(std::filesystem::path const& file);

    /// What was read, in the order of the first reading.
    [[nodiscard]] std::vector<SourceFile> const& files() const { return files_; }

  private:
    std::vector<SourceFile> kept_, files_;
};

// Which kind of file a table comes from, to say so when one is named in place of another.

/// Whether it is a space: it has objectives, or names architectures.
[[nodiscard]] bool is_space(toml::table const& content);

/// Whether it is a machine: it has components or parameters of a machine, and is not a space.
[[nodiscard]] bool is_machine(toml::table const& content);

}  // namespace pimdse::models::text
