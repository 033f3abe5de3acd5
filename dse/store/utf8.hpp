#pragma once

#include <string>
#include <string_view>

namespace pimdse::dse::store {

[[nodiscard]] bool is_utf8(std::string_view text);

/// The text with every byte that is no UTF-8 replaced by U+FFFD: command lines and names of hosts may be any bytes.
[[nodiscard]] std::string as_utf8(std::string_view text);

}  // namespace pimdse::dse::store
