#include "sim/base/flat_settings.hpp"

#include "sim/base/check.hpp"
#include "sim/base/json.hpp"
#include "sim/base/line_reader.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

namespace pimdse::sim {
namespace {

/// A line without its comment: one of these signs at its begin or after a blank, outside quotes.
std::string_view without_comment(std::string_view line, std::string_view signs) {
    char quote = '\0';
    for (std::size_t i = 0; i < line.size(); ++i) {
        char const c = line[i];
        if (quote != '\0')
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (signs.find(c) != std::string_view::npos && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t'))
            return line.substr(0, i);
    }
    return line;
}

std::string unquoted(std::string_view text) {
    text = trimmed(text);
    bool const quoted =
        text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
    return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

std::string joined(std::string const& path, std::string_view key) {
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

void add_json(Json const& json, std::string const& path, std::vector<std::pair<std::string, std::string>>& to) {
    if (json.is_object())
        for (auto const& [key, value] : json.items()) add_json(value, joined(path, key), to);
    else if (json.is_array())
        for (std::size_t i = 0; i < json.size(); ++i) add_json(json.at(i), joined(path, std::to_string(i)), to);
    else if (!json.is_null())
        to.emplace_back(path, json.is_string() ? json.get<std::string>() : json.dump());
}

}  // namespace

FlatSettings::FlatSettings(std::filesystem::path const& file) : file_(file.string()) {
    LineReader reader(file);
    std::string text;
    while (auto const line = reader.next()) text.append(*line) += '\n';
    auto const content = trimmed(text, " \t\r\n");
    if (content.empty()) throw InputError("{}: the file is empty", file_);
    bool const sections = std::ranges::any_of(split(text, '\n'), [](auto line) { return line.starts_with('['); });
    if (content.starts_with('{'))
        read_json(text);
    else
        sections ? read_ini(text) : read_yaml(text);
    check_paths();
}

/// Of a path that is there twice, some programs take the first value and some the last.
void FlatSettings::check_paths() const {
    std::map<std::string_view, std::int64_t> lines;
    for (auto const& setting : settings_)
        if (auto const [first, added] = lines.emplace(setting.path, setting.line); !added)
            refuse(setting.line, fmt::format("{} is in line {} too. Remove one?", setting.path, first->second));
}

void FlatSettings::refuse(std::int64_t line, std::string const& problem) const {
    throw InputError("{}:{}: {}", file_, line, problem);
}

void FlatSettings::read_ini(std::string_view text) {
    std::string section;
    std::int64_t number = 0;
    for (auto const whole : split(text, '\n')) {
        ++number;
        auto const line = trimmed(without_comment(whole, ";#"));
        if (line.empty()) continue;
        auto const sign = line.find('=');
        if (line.front() == '[' && line.back() == ']')
            section = trimmed(line.substr(1, line.size() - 2));
        else if (sign == std::string_view::npos)
            refuse(number, fmt::format("'{}' is neither [section] nor key = value", clipped(line)));
        else
            settings_.push_back(
                {joined(section, trimmed(line.substr(0, sign))), unquoted(line.substr(sign + 1)), number});
    }
}

/// A value of YAML: a mapping in braces, or a text.
void FlatSettings::add_value(std::string const& path, std::string_view value, std::int64_t line) {
    value = trimmed(value);
    if (!value.starts_with('{')) return settings_.push_back({path, unquoted(value), line});
    if (!value.ends_with('}')) refuse(line, "a mapping in braces must end in its line");
    for (auto const& part : words_of(value.substr(1, value.size() - 2), ',')) {
        auto const colon = part.find(':');
        if (colon == std::string::npos) refuse(line, fmt::format("'{}' is not key: value", clipped(part)));
        add_value(joined(path, unquoted(std::string_view(part).substr(0, colon))),
                  std::string_view(part).substr(colon + 1), line);
    }
}

void FlatSettings::read_yaml(std::string_view text) {
    struct Level {
        std::size_t indent;
        std::string path;
        int items = 0;
    };
    std::vector<Level> levels{{0, ""}};
    std::int64_t number = 0;
    for (auto const whole : split(text, '\n')) {
        ++number;
        auto line = without_comment(whole, "#");
        auto indent = line.find_first_not_of(' ');
        if (trimmed(line).empty() || line.starts_with("---") || line.starts_with("...")) continue;
        if (line[indent] == '\t') refuse(number, "a line of YAML is indented by blanks");
        while (levels.size() > 1 && levels.back().indent > indent) levels.pop_back();
        line.remove_prefix(indent);
        std::string path = levels.back().path;
        while (line == "-" || line.starts_with("- ")) {
            path = joined(path, std::to_string(levels.back().items++));
            auto const next = line.find_first_not_of(' ', 1);
            indent += next == std::string_view::npos ? 2 : next;
            line = next == std::string_view::npos ? std::string_view() : line.substr(next);
            levels.push_back({indent, path});
        }
        line = trimmed(line);
        auto const colon = line.ends_with(':') ? line.size() - 1 : line.find(": ");
        if (line.empty()) continue;
        if (colon == std::string_view::npos) {
            if (levels.back().items == 0 && path == levels.back().path) add_value(path, line, number);
            continue;
        }
        auto const key = joined(path, unquoted(line.substr(0, colon)));
        auto const value = trimmed(line.substr(colon + 1));
        if (value.empty())
            levels.push_back({indent + 1, key});
        else
            add_value(key, value, number);
    }
}

void FlatSettings::read_json(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> found;
    try {
        add_json(Json::parse(text), "", found);
    } catch (Json::Error const& error) {
        auto const end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
        refuse(1 + std::count(text.begin(), end, '\n'), error.what());
    }
    for (auto& [path, value] : found) settings_.push_back({std::move(path), std::move(value), 1});
}

FlatSettings::Setting const* FlatSettings::find(std::string_view path) {
    auto const found = std::ranges::find(settings_, path, &Setting::path);
    if (found == settings_.end()) return nullptr;
    used_.insert(found->path);
    return &*found;
}

std::optional<std::string> FlatSettings::text(std::string_view path) {
    auto const* found = find(path);
    return found == nullptr ? std::nullopt : std::optional(found->value);
}

std::optional<double> FlatSettings::number(std::string_view path) {
    auto const* found = find(path);
    if (found == nullptr) return std::nullopt;
    auto plain = found->value;
    std::erase(plain, '_');
    auto const value = number_in<double>(plain);
    if (!value || !std::isfinite(*value))
        refuse(found->line, fmt::format("{} = '{}' is not a number", path, clipped(found->value)));
    return value;
}

std::optional<double> FlatSettings::count(std::string_view path) {
    auto const* found = find(path);
    if (found == nullptr) return std::nullopt;
    std::string_view const digits = found->value;
    if (digits.find_first_not_of("0123456789") != std::string_view::npos ||
        (digits.size() > 1 && digits.starts_with('0')))
        refuse(found->line, fmt::format("{} = '{}' is not a whole number in plain digits", path, clipped(digits)));
    return number(path);
}

std::optional<double> FlatSettings::first_count(std::vector<std::string> const& paths) {
    for (auto const& path : paths)
        if (auto const found = count(path)) return found;
    return std::nullopt;
}

bool FlatSettings::has(std::string_view path) const {
    return std::ranges::any_of(settings_, [&](Setting const& s) {
        return s.path == path || (s.path.starts_with(path) && s.path[path.size()] == '.');
    });
}

std::vector<std::string> FlatSettings::unused() const {
    std::vector<std::string> paths;
    for (auto const& setting : settings_)
        if (!used_.contains(setting.path)) paths.push_back(setting.path);
    return paths;
}

}  // namespace pimdse::sim
