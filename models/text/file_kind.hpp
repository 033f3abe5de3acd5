#pragma once

#include <toml++/impl/forward_declarations.h>

namespace pimdse::models::text {

// Which kind of file a table comes from, to say so when one is named in place of another.

/// Whether it is a space: it has objectives, or names architectures.
[[nodiscard]] bool is_space(toml::table const& content);

/// Whether it is a machine: it has components or parameters of a machine, and is not a space.
[[nodiscard]] bool is_machine(toml::table const& content);

}  // namespace pimdse::models::text
