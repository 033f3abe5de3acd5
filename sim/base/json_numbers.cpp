#include "sim/base/json_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace pimdse::sim {
namespace {

constexpr std::string_view of_numbers_and_words = "+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

bool is_unheld(std::string_view token) {
    constexpr std::array<std::string_view, 3> words{"NaN", "Infinity", "-Infinity"};
    if (std::ranges::find(words, token) != words.end()) return true;
    constexpr std::size_t always_held = 300;  // digits without an exponent
    bool const may_overflow = token.size() > always_held || token.find_first_of("eE") != token.npos;
    return may_overflow && token.find_first_not_of("+-.0123456789eE") == token.npos &&
           std::isinf(std::strtod(std::string(token).c_str(), nullptr));
}

/// The position behind the string that begins with the quote at `at`.
std::size_t end_of_string(std::string_view json, std::size_t at) {
    for (++at; at < json.size() && json[at] != '"'; ++at)
        if (json[at] == '\\') ++at;
    return std::min(at + 1, json.size());
}

}  // namespace

std::string with_unheld_numbers_quoted(std::string_view json) {
    std::string quoted;
    quoted.reserve(json.size() + 2);
    for (std::size_t at = 0; at < json.size();) {
        std::size_t const first = at;
        if (json[at] == '"') {
            at = end_of_string(json, at);
        } else if (of_numbers_and_words.find(json[at]) != of_numbers_and_words.npos) {
            at = std::min(json.find_first_not_of(of_numbers_and_words, at), json.size());
        } else {
            ++at;
        }
        auto const part = json.substr(first, at - first);
        bool const quotes = part.front() != '"' && is_unheld(part);
        if (quotes) quoted += '"';
        quoted += part;
        if (quotes) quoted += '"';
    }
    return quoted;
}

}  // namespace pimdse::sim
