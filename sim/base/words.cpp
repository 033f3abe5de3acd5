#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace pimdse::sim {
namespace {

/// Edit distance: number of letters to insert, delete, replace or exchange with their neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(before_last, last);
        std::swap(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            bool const exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
    }
    return row[b.size()];
}

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_but_for_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower_case(x) == lower_case(y); });
}

}  // namespace

std::string_view trimmed(std::string_view text, std::string_view blanks) {
    auto const first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view{}
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size();) {
        auto const end = std::min(text.find(separator, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

std::vector<std::string> words_of(std::string_view text, char separator) {
    std::vector<std::string> words;
    for (auto const part : split(text, separator)) {
        if (!part.empty()) words.emplace_back(part);
    }
    return words;
}

std::string_view beginning(std::string_view text, std::size_t max) {
    if (text.size() <= max) return text;
    std::size_t end = max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end);
}

std::string clipped(std::string_view text) {
    constexpr std::size_t max = 120, shown = 60;
    if (text.size() <= max) return std::string(text);
    return fmt::format("{}... ({} bytes)", beginning(text, shown), text.size());
}

namespace {

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

}  // namespace

std::string nearest_name(std::string_view wrong, std::vector<std::string> const& known) {
    std::string best;
    if (wrong.size() > 256) return best;
    auto const end = std::string(1, '.').append(wrong);
    auto const whole = std::find_if(known.begin(), known.end(), [&](auto const& name) { return name.ends_with(end); });
    if (!wrong.empty() && whole != known.end()) return *whole;
    auto const same = [&](std::string const& name) { return equal_but_for_case(name, wrong); };
    if (auto const cased = std::find_if(known.begin(), known.end(), same); cased != known.end()) return *cased;
    std::size_t best_distance = std::max<std::size_t>(2, wrong.size() / 3) + 1;
    for (auto const& name : known) {
        std::size_t const distance = edit_distance(wrong, name);
        if (distance < best_distance) {
            best_distance = distance;
            best = name;
        }
    }
    // A number is near to another one by its value, not by its digits.
    if (is_number(wrong) && is_number(best)) return "";
    constexpr std::size_t enough = 4;
    auto const completed = [&](std::string const& name) { return name.starts_with(wrong); };
    if (best_distance > 1 && wrong.size() >= enough && std::count_if(known.begin(), known.end(), completed) == 1)
        return *std::find_if(known.begin(), known.end(), completed);
    return best;
}

std::string suggestion(std::string_view wrong, std::vector<std::string> const& known) {
    if (known.empty()) {
        return "";
    }
    if (auto const near = nearest_name(wrong, known); !near.empty()) {
        return fmt::format(" Did you mean '{}'?", near);
    }
    constexpr std::size_t max = 12;
    auto const shown = std::vector<std::string>(
        known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min(max, known.size())));
    auto const more = known.size() > max ? fmt::format(" and {} more", known.size() - max) : "";
    return fmt::format(" Known: {}{}.", fmt::join(shown, ", "), more);
}

}  // namespace pimdse::sim
