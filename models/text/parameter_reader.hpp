#pragma once

#include "models/contract/parameter.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace pimdse::models {
class TableReader;
}

namespace pimdse::models::text {

/// A mistake of the table [parameter.NAME] if the name is none, or that of a parameter of every request or group.
void check_parameter_name(std::string const& name, TableReader& keys);

/// The parameter of the table [parameter.NAME]: `default`, `meaning`, and `choices`, or `limits` and a unit; true or
/// false makes a flag. attained_share and layer_overhead are those of every architecture, with a default and a meaning
/// of their own. Adds mistakes to those of the reader; nullopt if there were any.
[[nodiscard]] std::optional<Parameter> read_parameter(std::string const& name, TableReader& keys);

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
