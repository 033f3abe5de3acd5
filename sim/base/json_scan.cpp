#include "sim/base/json_scan.hpp"

#include "sim/base/json.hpp"
#include "sim/base/words.hpp"

#include <algorithm>

namespace pimdse::sim {
namespace {

constexpr int deepest = 1000;  ///< levels of arrays and objects

[[noreturn]] void refuse(std::string_view wanted, std::size_t at) {
    throw Json::Error("not JSON: " + std::string(wanted), at + 1);
}

std::size_t after_blanks(std::string_view text, std::size_t at) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) ++at;
    return at;
}

char at_or_nul(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\0'; }

/// `at` is that of the first quote.
std::size_t string_end(std::string_view text, std::size_t at) {
    for (std::size_t next = at + 1; next < text.size(); ++next) {
        char const c = text[next];
        if (c == '"') return next + 1;
        if (c == '\\') ++next;
        if (static_cast<unsigned char>(c) < ' ') refuse("a string has a control character", next);
    }
    refuse("a string has no end", text.size());
}

/// A number, true, false, null; also the NaN and Infinity of Python.
std::size_t word_end(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (is_digit(at_or_nul(text, end))) ++end;
    auto const in_word = [&](char c) {
        return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+';
    };
    if (end > at && !in_word(at_or_nul(text, end))) return end;  // digits only, as most values
    while (in_word(at_or_nul(text, end))) ++end;
    auto const word = text.substr(at, end - at);
    bool const number =
        !word.empty() && is_digit(word.back()) && word.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
    if (!number && word != "true" && word != "false" && word != "null" && word != "NaN" && word != "Infinity" &&
        word != "-Infinity")
        refuse(word.empty() ? "a value is missing" : "'" + std::string(clipped(word)) + "' is no value", at);
    return end;
}

std::size_t value_end(std::string_view text, std::size_t at, int depth);

/// The key of a member and the begin of its value.
std::size_t value_after_key(std::string_view text, std::size_t at, std::string_view& key) {
    if (at_or_nul(text, at) != '"') refuse("a key is missing", at);
    auto const end = string_end(text, at);
    key = text.substr(at + 1, end - at - 2);
    auto const colon = after_blanks(text, end);
    if (at_or_nul(text, colon) != ':') refuse("a colon is missing after a key", colon);
    return after_blanks(text, colon + 1);
}

/// Calls take(at) for each part of a list in brackets; it returns the end of the part.
template <class Take>
std::size_t each_part(std::string_view text, std::size_t at, char closing, Take const& take) {
    at = after_blanks(text, at + 1);
    if (at_or_nul(text, at) == closing) return at + 1;
    while (true) {
        at = after_blanks(text, take(at));
        char const next = at_or_nul(text, at);
        if (next == closing) return at + 1;
        if (next != ',') refuse(std::string("',' or '") + closing + "' is missing", at);
        at = after_blanks(text, at + 1);
    }
}

std::size_t value_end(std::string_view text, std::size_t at, int depth) {
    if (depth > deepest) refuse("it has more levels than can be read", at);
    switch (at_or_nul(text, at)) {
        case '"':
            return string_end(text, at);
        case '[':
            return each_part(text, at, ']', [&](std::size_t element) { return value_end(text, element, depth + 1); });
        case '{':
            return each_part(text, at, '}', [&](std::size_t member) {
                std::string_view key;
                return value_end(text, value_after_key(text, member, key), depth + 1);
            });
        default:
            return word_end(text, at);
    }
}

void add_paths(std::string_view text, std::size_t at, std::string const& before, std::vector<std::string>& paths) {
    (void)each_part(text, at, '}', [&](std::size_t member) {
        std::string_view key;
        auto const value = value_after_key(text, member, key);
        auto const path = before + std::string(key);
        if (at_or_nul(text, value) == '{')
            add_paths(text, value, path + ".", paths);
        else
            paths.push_back(path);
        return value_end(text, value, 0);
    });
}

}  // namespace

std::size_t json_end(std::string_view text, std::size_t at) { return value_end(text, after_blanks(text, at), 0); }

std::string_view json_word(std::string_view value) {
    if (value.starts_with('"') && value.size() >= 2) return value.substr(1, value.size() - 2);
    return value == "null" ? std::string_view() : value;
}

JsonMembersAt::JsonMembersAt(std::vector<std::string> const& paths) : nodes_(1), found_(paths.size()) {
    for (std::size_t p = 0; p < paths.size(); ++p) {
        std::size_t node = 0;
        for (auto const& key : words_of(paths[p], '.')) {
            auto const& children = nodes_[node].children;
            auto const child = std::ranges::find_if(children, [&](std::size_t c) { return nodes_[c].key == key; });
            if (child != children.end()) {
                node = *child;
                continue;
            }
            nodes_[node].children.push_back(nodes_.size());
            node = nodes_.size();
            nodes_.push_back({key, {}, {}});
        }
        if (!paths[p].empty()) nodes_[node].path = p;
    }
}

std::size_t JsonMembersAt::read(std::string_view text, std::size_t at, std::size_t node) {
    if (at_or_nul(text, at) != '{') refuse("an object is missing", at);
    return each_part(text, at, '}', [&](std::size_t member) {
        std::string_view key;
        auto const value = value_after_key(text, member, key);
        for (auto const child : nodes_[node].children) {
            if (nodes_[child].key != key) continue;
            bool const inside = !nodes_[child].children.empty() && at_or_nul(text, value) == '{';
            auto const end = inside ? read(text, value, child) : value_end(text, value, 0);
            if (nodes_[child].path) found_[*nodes_[child].path] = text.substr(value, end - value);
            return end;
        }
        return value_end(text, value, 0);
    });
}

std::span<std::string_view const> JsonMembersAt::in(std::string_view object) {
    std::ranges::fill(found_, std::string_view());
    auto const end = after_blanks(object, read(object, after_blanks(object, 0), 0));
    if (end != object.size()) refuse("something follows the object", end);
    return found_;
}

std::vector<std::string> json_paths(std::string_view object) {
    std::vector<std::string> paths;
    auto const at = after_blanks(object, 0);
    if (at_or_nul(object, at) == '{') add_paths(object, at, "", paths);
    return paths;
}

JsonValues::JsonValues(std::string_view text) : text_(text), at_(after_blanks(text, 0)) {
    array_ = at_or_nul(text_, at_) == '[';
    if (array_) at_ = after_blanks(text_, at_ + 1);
}

std::optional<std::string_view> JsonValues::next() {
    if (at_ == text_.size() && !array_) return std::nullopt;
    if (array_ && at_or_nul(text_, at_) == ']' && first_) {
        auto const rest = after_blanks(text_, at_ + 1);
        if (rest != text_.size()) refuse("something follows the list", rest);
        return std::nullopt;
    }
    first_ = false;
    begin_ = at_;
    auto const end = json_end(text_, at_);
    at_ = after_blanks(text_, end);
    if (array_) {
        char const after = at_or_nul(text_, at_);
        if (after != ',' && after != ']') refuse("',' or ']' is missing", at_);
        if (after == ']')
            first_ = true;
        else
            at_ = after_blanks(text_, at_ + 1);
    }
    return text_.substr(begin_, end - begin_);
}

}  // namespace pimdse::sim
