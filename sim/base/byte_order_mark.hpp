#pragma once

#include <string_view>

namespace pimdse::sim {

/// The same without the byte order mark of UTF-8 that some editors write at the beginning of a text.
[[nodiscard]] constexpr std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

}  // namespace pimdse::sim
