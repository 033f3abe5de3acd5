#include "models/toml_file.hpp"

#include "sim/check.hpp"

#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace pimdse::models {

std::string place(std::filesystem::path const& file, toml::source_region const& where) {
    return fmt::format("{}:{}", file.string(), where.begin.line);
}

toml::table read_toml(std::filesystem::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw sim::InputError(fmt::format("{}: cannot be read (no such file, or no permission)", file.string()));
    }
    std::ostringstream content;
    content << stream.rdbuf();
    try {
        return toml::parse(content.str(), file.string());
    } catch (toml::parse_error const& error) {
        throw sim::InputError(fmt::format("{}: {} (this is not TOML)", place(file, error.source()), error.description()));
    }
}

std::string scalar_text(toml::node const& node) {
    if (node.is_string()) return *node.value<std::string>();
    if (node.is_boolean()) return *node.value<bool>() ? "true" : "false";
    if (node.is_integer()) return fmt::format("{}", *node.value<std::int64_t>());
    if (node.is_floating_point()) return fmt::format("{}", *node.value<double>());
    throw sim::InputError("it is neither a number nor text");
}

TableReader::TableReader(toml::table const& table, std::filesystem::path file, std::vector<std::string>& mistakes)
    : table_(table), file_(std::move(file)), mistakes_(mistakes) {}

toml::node const* TableReader::node(std::string_view key) {
    asked_.emplace(key);
    return table_.get(key);
}

void TableReader::mistake(std::string_view key, std::string const& sentence) {
    auto const* at = table_.get(key);
    mistakes_.push_back(fmt::format("{}: {}", place(file_, at != nullptr ? at->source() : table_.source()), sentence));
}

template <class T>
T TableReader::required(std::string_view key, std::string_view what) {
    auto const* found = node(key);
    if (found == nullptr) {
        mistake(key, fmt::format("'{}' is missing (it must be {})", key, what));
        return T{};
    }
    auto const value = found->value<T>();
    if (!value) {
        mistake(key, fmt::format("'{}' is not {}", key, what));
        return T{};
    }
    return *value;
}

std::string TableReader::text(std::string_view key) { return required<std::string>(key, "a text in quotes"); }
double TableReader::number(std::string_view key) { return required<double>(key, "a number"); }
std::int64_t TableReader::integer(std::string_view key) { return required<std::int64_t>(key, "a whole number"); }
bool TableReader::flag(std::string_view key) { return required<bool>(key, "true or false"); }

std::string TableReader::text_or(std::string_view key, std::string_view fallback) {
    return node(key) != nullptr ? text(key) : std::string(fallback);
}
double TableReader::number_or(std::string_view key, double fallback) { return node(key) != nullptr ? number(key) : fallback; }
bool TableReader::flag_or(std::string_view key, bool fallback) { return node(key) != nullptr ? flag(key) : fallback; }

void TableReader::refuse_unknown_keys() {
    std::vector<std::string> const known(asked_.begin(), asked_.end());
    for (auto const& [key, value] : table_) {
        if (!asked_.contains(key.str())) {
            mistakes_.push_back(
                fmt::format("{}: unknown key '{}'.{}", place(file_, key.source()), key.str(), sim::suggestion(key.str(), known)));
        }
    }
}

}  // namespace pimdse::models
