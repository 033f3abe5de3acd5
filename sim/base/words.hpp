#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Words in what people write, and in what they are told.
namespace pimdse::sim {

/// Without these characters around it.
[[nodiscard]] std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r");

/// What stands between separators, empty parts too; at least one part. Parts refer to `text`.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// The same without empty parts.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text, char separator);

/// At most so many bytes of its beginning, whole characters of UTF-8 only.
[[nodiscard]] std::string_view beginning(std::string_view text, std::size_t max);

/// A text as a sentence quotes it: its beginning, "..." and its length if it is longer than 120 bytes.
[[nodiscard]] std::string clipped(std::string_view text);

/// The name among `known` that is `wrong` of something (umdam.banks for banks), else the nearest by edit distance: one
/// edit away, or the only one that begins with `wrong` (four letters or more), or few edits away. "" if there is none.
[[nodiscard]] std::string nearest_name(std::string_view wrong, std::vector<std::string> const& known);

/// " Did you mean 'x'?" or, when nothing is near, " Known: a, b, c." (at most twelve names); "" if `known` is empty.
[[nodiscard]] std::string suggestion(std::string_view wrong, std::vector<std::string> const& known);

/// The same without the byte order mark of UTF-8 that some editors write at the beginning of a text.
[[nodiscard]] constexpr std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

}  // namespace pimdse::sim
