#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace pimdse::sim {

/// The number that the whole of a text is: digits, or for a real number also an exponent, inf or nan. Nothing if there
/// is anything else in the text, or the number does not fit. Whole numbers have this base.
template <class Number, class... Base>
[[nodiscard]] std::optional<Number> number_in(std::string_view text, Base... base) {
    Number value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace pimdse::sim
