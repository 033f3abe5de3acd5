#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Helpers for words in user input and in messages.
namespace pimdse::sim {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// `text` without leading and trailing `blanks`.
[[nodiscard]] std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r");

/// Parts between separators, including empty ones; at least one part. Parts refer to `text`.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// The same without empty parts.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text, char separator);

/// The longest beginning of a text that has at most `max` bytes and only whole UTF-8 characters.
[[nodiscard]] std::string_view beginning(std::string_view text, std::size_t max);

/// Text for quoting in a message: if it is longer than 120 bytes, its beginning, "..." and its length.
[[nodiscard]] std::string clipped(std::string_view text);

/// The name in `known` that ends in "." + `wrong` (umdam.banks for banks), or differs in the case of letters only, or
/// is nearest by edit distance: one edit away, the only one that begins with `wrong` (four letters or a number), or a
/// few edits away; the first of these that exists. "" if there is none. A name with other numbers is never near
/// (llama-3-8b to llama-3-80b), nor is one with numbers and another short word (h100 to b100), nor one without a common
/// letter (r to m).
[[nodiscard]] std::string nearest_name(std::string_view wrong, std::vector<std::string> const& known);

/// The names of things that have one.
template <class Things>
[[nodiscard]] std::vector<std::string> names_of(Things const& things) {
    std::vector<std::string> names;
    for (auto const& one : things) names.emplace_back(one.name);
    return names;
}

/// " Did you mean 'x'?" or, if no name is near, " Known: a, b, c." (at most twelve names); "" if `known` is empty.
[[nodiscard]] std::string suggestion(std::string_view wrong, std::vector<std::string> const& known);

/// "a.csv: cannot be read (WHY). Did you mean 'b.csv'?", with a file of the same folder and ending that has a near
/// name, if there is one. Errors with such sentences only exit with 4 (InputError::only_unreadable).
[[nodiscard]] std::string cannot_be_read(std::string const& file,
                                         std::string_view why = "no such file, or no permission");

/// `text` without the UTF-8 byte order mark that some editors write at the beginning.
[[nodiscard]] constexpr std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

[[nodiscard]] bool is_utf8(std::string_view text);

/// The text with every byte that is not valid UTF-8 replaced by U+FFFD: command lines and host names may contain any
/// bytes.
[[nodiscard]] std::string as_utf8(std::string_view text);

}  // namespace pimdse::sim
