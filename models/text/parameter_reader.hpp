#pragma once

#include "models/contract/parameter.hpp"

#include <optional>
#include <string>

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

}  // namespace pimdse::models::text
