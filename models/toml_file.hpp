#pragma once

#include <toml++/toml.h>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// "file.toml:12" of a TOML node, for messages.
[[nodiscard]] std::string place(std::filesystem::path const& file, toml::source_region const& where);

/// Parses a TOML file. Throws InputError: cannot be read, or not TOML (file, line and what the parser says).
[[nodiscard]] toml::table read_toml(std::filesystem::path const& file);

/// A string, number or boolean as a person would write it on the command line. Throws InputError for anything else.
[[nodiscard]] std::string scalar_text(toml::node const& node);

/// One table of a TOML file read key by key; collects every mistake instead of stopping at the first. Only .cpp files
/// include this header: toml++ is heavy.
class TableReader {
  public:
    TableReader(toml::table const& table, std::filesystem::path file, std::vector<std::string>& mistakes);

    /// The value of a key that must be there; on a mistake, a default value and a sentence.
    [[nodiscard]] std::string text(std::string_view key);
    [[nodiscard]] double number(std::string_view key);
    [[nodiscard]] std::int64_t integer(std::string_view key);
    [[nodiscard]] bool flag(std::string_view key);
    /// The same for a key that may be left out.
    [[nodiscard]] std::string text_or(std::string_view key, std::string_view fallback);
    [[nodiscard]] double number_or(std::string_view key, double fallback);
    [[nodiscard]] bool flag_or(std::string_view key, bool fallback);
    /// The node of a key, marked as read; nullptr if absent.
    [[nodiscard]] toml::node const* node(std::string_view key);

    /// A sentence for every key nobody asked for, with the nearest known name.
    void refuse_unknown_keys();
    /// Adds a mistake at this key (or at the table if the key is absent).
    void mistake(std::string_view key, std::string const& sentence);

  private:
    template <class T>
    T required(std::string_view key, std::string_view what);

    toml::table const& table_;
    std::filesystem::path file_;
    std::vector<std::string>& mistakes_;
    std::set<std::string, std::less<>> asked_;
};

}  // namespace pimdse::models
