#include "sim/base/words.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <boost/locale/utf.hpp>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <utility>

namespace pimdse::sim {
namespace {

using Utf8 = boost::locale::utf::utf_traits<char>;

/// Advances `at` past one UTF-8 character; false if the bytes there are not one.
bool skip(char const*& at, char const* end) {
    auto const point = Utf8::decode(at, end);
    return point != boost::locale::utf::illegal && point != boost::locale::utf::incomplete;
}

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

/// The numbers of a name, and the letters before, between and behind them: {3, 8} and {llama, , b} of llama-3-8b.
struct NameParts {
    std::vector<std::string> numbers, letters{""};
};

NameParts parts_of(std::string_view name) {
    NameParts parts;
    bool in_number = false;
    for (char const c : name) {
        bool const begins = is_digit(c) && !in_number;
        in_number = is_digit(c);
        if (begins) {
            parts.numbers.emplace_back();
            parts.letters.emplace_back();
        }
        if (in_number)
            parts.numbers.back() += c;
        else if (c != '-' && c != '_' && c != '.' && c != ' ')
            parts.letters.back() += lower_case(c);
    }
    return parts;
}

/// Whether a name may be the other one with slips. Different numbers are different things (llama-3-80b and
/// llama-3-8b), and so are different short words in names with numbers (b100 and h100).
bool may_be_same(NameParts const& a, NameParts const& b) {
    constexpr std::size_t long_word = 4;
    if (a.numbers != b.numbers) return false;
    return a.numbers.empty() || std::ranges::equal(a.letters, b.letters, [](auto const& x, auto const& y) {
               return x == y || std::min(x.size(), y.size()) >= long_word;
           });
}

/// Whether the name goes on from what was written, which does not end within a number.
bool completes(std::string_view written, std::string_view name) {
    if (!name.starts_with(written)) return false;
    auto const rest = name.substr(written.size());
    bool const after_number = !written.empty() && is_digit(written.back());
    return !(after_number && (is_digit(rest.front()) || (rest.front() == '.' && rest.size() > 1 && is_digit(rest[1]))));
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

std::string nearest_name(std::string_view wrong, std::vector<std::string> const& known) {
    std::string best;
    if (wrong.size() > 256) return best;
    auto const end = std::string(1, '.').append(wrong);
    auto const whole = std::find_if(known.begin(), known.end(), [&](auto const& name) { return name.ends_with(end); });
    if (!wrong.empty() && whole != known.end()) return *whole;
    auto const same = [&](std::string const& name) { return equal_but_for_case(name, wrong); };
    if (auto const cased = std::find_if(known.begin(), known.end(), same); cased != known.end()) return *cased;
    std::size_t best_distance = std::max(std::clamp<std::size_t>(wrong.size() / 2, 1, 2), wrong.size() / 3) + 1;
    auto const parts = parts_of(wrong);
    for (auto const& name : known) {
        std::size_t const distance = edit_distance(wrong, name);
        bool const shares_a_letter = distance < std::max(wrong.size(), name.size());
        if (distance < best_distance && shares_a_letter && may_be_same(parts, parts_of(name))) {
            best_distance = distance;
            best = name;
        }
    }
    constexpr std::size_t enough = 4;
    auto const completed = [&](std::string const& name) { return completes(wrong, name); };
    bool const long_enough = wrong.size() >= enough || !parts.numbers.empty();
    if (best_distance > 1 && long_enough && std::ranges::count_if(known, completed) == 1)
        return *std::find_if(known.begin(), known.end(), completed);
    return best;
}

std::string cannot_be_read(std::string const& file, std::string_view why) {
    namespace fs = std::filesystem;
    fs::path const path(file);
    std::vector<std::string> names;
    std::error_code none;
    auto const folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (auto entry = fs::directory_iterator(folder, none); !none && entry != fs::directory_iterator();
         entry.increment(none)) {
        auto name = entry->path().filename();
        if (name.extension() == path.extension() && name != path.filename()) names.push_back(name.string());
    }
    std::ranges::sort(names);
    auto const near = nearest_name(path.filename().string(), names);
    return fmt::format("{}{}{}){}", file.empty() ? "''" : clipped(file), unreadable, why,
                       near.empty() ? "" : fmt::format(". Did you mean '{}'?", (path.parent_path() / near).string()));
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

bool is_utf8(std::string_view text) {
    char const* const end = text.data() + text.size();
    for (char const* at = text.data(); at != end;) {
        if (!skip(at, end)) return false;
    }
    return true;
}

std::string as_utf8(std::string_view text) {
    if (is_utf8(text)) return std::string(text);
    std::string valid;
    char const* const end = text.data() + text.size();
    for (char const* at = text.data(); at != end;) {
        char const* const start = at;
        if (skip(at, end)) {
            valid.append(start, at);
        } else {
            valid += "\xEF\xBF\xBD";
            at = start + 1;
        }
    }
    return valid;
}

}  // namespace pimdse::sim
