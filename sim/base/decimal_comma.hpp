#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pimdse::sim {

/// "250.5 MHz" of "250,5 MHz"; nothing where a text does not begin with a number that has a decimal comma.
[[nodiscard]] std::optional<std::string> with_decimal_point(std::string_view text);

/// ". Write \"250.5 MHz\" (numbers have a decimal point)?", a part of a message; "" where there is no decimal comma.
[[nodiscard]] std::string point_for_comma(std::string_view text);

}  // namespace pimdse::sim
