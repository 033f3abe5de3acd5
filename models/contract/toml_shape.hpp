#pragma once

#include <string_view>

namespace pimdse::models {

/// The first line at which TOML text nests tables and lists deeper than `deepest`: brackets that are open and dots of
/// one key together; 0 if there is none. Takes no stack, and looks at text that is not TOML too.
[[nodiscard]] int line_nested_beyond(std::string_view text, int deepest);

}  // namespace pimdse::models
