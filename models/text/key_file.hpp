#pragma once

#include "models/contract/parameter.hpp"

#include <filesystem>
#include <string_view>

namespace pimdse::models::text {

/// Keys of a kind of part as a file describes them: [NAME] as a machine file has [parameter.NAME]
/// (docs/own_machine.md).
class KeyFile {
  public:
    /// Throws InputError with every mistake.
    explicit KeyFile(std::filesystem::path const& file);
    /// Precondition: there is a key of this name.
    [[nodiscard]] Parameter operator[](std::string_view name) const;

  private:
    Parameters keys_;
};

}  // namespace pimdse::models::text
