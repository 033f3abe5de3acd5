#include "sim/base/decimal_comma.hpp"

#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <cctype>

namespace pimdse::sim {

std::optional<std::string> with_decimal_point(std::string_view text) {
    auto const bare = trimmed(text, " ");
    auto const is_digit = [&](std::size_t at) {
        return at < bare.size() && std::isdigit(static_cast<unsigned char>(bare[at])) != 0;
    };
    std::size_t at = !bare.empty() && (bare.front() == '-' || bare.front() == '+') ? 1 : 0;
    std::size_t const first = at;
    while (is_digit(at)) ++at;
    if (at == first || at >= bare.size() || bare[at] != ',' || !is_digit(at + 1)) return std::nullopt;
    std::string pointed(bare);
    pointed[at] = '.';
    return pointed.find(',') == pointed.npos ? std::optional(pointed) : std::nullopt;
}

std::string point_for_comma(std::string_view text) {
    auto const pointed = with_decimal_point(text);
    return pointed ? fmt::format(". Write \"{}\" (numbers have a decimal point)?", clipped(*pointed)) : "";
}

}  // namespace pimdse::sim
