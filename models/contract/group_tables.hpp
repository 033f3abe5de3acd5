#pragma once

#include "models/contract/architecture.hpp"

#include <string_view>

namespace pimdse::models {

/// Name of the table of draws that changes rows of models/chips/links.toml.
inline constexpr std::string_view links_table = "links";

/// Whether a drawn constant of this name is of a table that only groups and costs read ("links.pcie5_energy",
/// "economy.pue"), so that the machine itself need not be prepared again. A pair prepares both of its machines.
[[nodiscard]] bool is_read_by_groups_only(Architecture const& architecture, std::string_view constant);

/// The same inputs with options that differ in such constants only.
[[nodiscard]] Inputs with_drawn_for_groups(Architecture const& architecture, Inputs inputs, ModelOptions options);

}  // namespace pimdse::models
