#pragma once

#include <string>
#include <string_view>

namespace pimdse::sim {

/// JSON text with quotes around what Python writes and reads as numbers and no double holds: NaN, Infinity, -Infinity,
/// 1e400. Its reader refuses such a text by the key that needs a number; in other keys it is harmless. Every line keeps
/// its number.
[[nodiscard]] std::string with_unheld_numbers_quoted(std::string_view json);

}  // namespace pimdse::sim
