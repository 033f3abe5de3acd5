#pragma once

#include <toml++/impl/forward_declarations.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models {

/// "file.toml:12" for a TOML node, for messages.
[[nodiscard]] std::string place(std::filesystem::path const& file, toml::source_region const& where);

/// Parses TOML; `name` is used as the file name in messages. Throws InputError if it is not TOML (with file, line and
/// the message of the parser), larger than 16 MiB, or nested beyond 32 levels of tables and lists, which is checked
/// before anything recurses.
[[nodiscard]] toml::table parse_toml(std::string_view text, std::string_view name);

/// The same for a file. Also throws InputError if it cannot be read. A text that was read before from this file is not
/// parsed again: constants are read for every draw of their values.
[[nodiscard]] std::shared_ptr<toml::table const> read_toml(std::filesystem::path const& file);

/// Limits of a count in a file, both ends included.
struct CountLimits {
    std::int64_t lower = 0, upper = 0;
};

/// Text of a string, number or boolean as the user would write it on the command line. Throws InputError for anything
/// else.
[[nodiscard]] std::string scalar_text(toml::node const& node);

/// Reader of one table of a TOML file, key by key. It collects every mistake instead of stopping at the first.
class TableReader {
  public:
    TableReader(toml::table const& table, std::filesystem::path file, std::vector<std::string>& mistakes);

    /// The value of a required key; on a mistake, adds a sentence and returns a default value.
    [[nodiscard]] std::string text(std::string_view key);
    /// One of these texts; on a mistake, the first.
    [[nodiscard]] std::string one_of(std::string_view key, std::vector<std::string> const& names);
    /// The enumerator with the position of one of these texts; on a mistake, the first.
    template <class Choice, std::size_t count>
    [[nodiscard]] Choice choice(std::string_view key, std::array<std::string_view, count> const& names) {
        auto const found = std::ranges::find(names, one_of(key, {names.begin(), names.end()}));
        return static_cast<Choice>(found == names.end() ? 0 : found - names.begin());
    }
    template <class Choice, std::size_t count>
    [[nodiscard]] Choice choice(std::string_view key, std::array<std::string_view, count> const& names, Choice usual) {
        return node(key) == nullptr ? usual : choice<Choice>(key, names);
    }
    /// A finite number.
    [[nodiscard]] double number(std::string_view key);
    /// A whole number of 64 bits; 4.0 is accepted too.
    [[nodiscard]] std::int64_t integer(std::string_view key);
    /// A whole number within its limits; on a mistake, the lower limit.
    [[nodiscard]] std::int64_t count(std::string_view key, CountLimits limits);
    [[nodiscard]] bool flag(std::string_view key);
    /// The same for optional keys.
    [[nodiscard]] std::string text_or(std::string_view key, std::string_view default_value);
    [[nodiscard]] bool flag_or(std::string_view key, bool default_value);
    [[nodiscard]] double number_or(std::string_view key, double default_value);
    /// The node of a key, marked as read; nullptr if absent.
    [[nodiscard]] toml::node const* node(std::string_view key);

    /// Where the table is in its file.
    [[nodiscard]] toml::source_region const& region() const;
    /// Adds a sentence for every key that was not read, with the nearest known name.
    void refuse_unknown_keys();
    /// Adds a mistake at this key (or at the table if the key is absent).
    void mistake(std::string_view key, std::string const& sentence);

  private:
    /// The node of a required key; on a mistake, adds a sentence and returns nullptr.
    toml::node const* present(std::string_view key, std::string_view what);
    template <class T>
    T required(std::string_view key, std::string_view what);

    toml::table const& table_;
    std::filesystem::path file_;
    std::vector<std::string>& mistakes_;
    std::set<std::string, std::less<>> read_;
};

/// The first line at which TOML text nests tables and lists deeper than `deepest`, counting open brackets and the dots
/// of a key; 0 if there is none. Uses no recursion, and also works for text that is not TOML.
[[nodiscard]] int line_nested_beyond(std::string_view text, int deepest);

/// ../share/pimdse relative to the folder of the running program: the data folder of an installed program, wherever it
/// was moved to. The folder need not exist.
[[nodiscard]] std::filesystem::path installed_directory();

/// The folder of models/ and spaces/: $PIMDSE_DATA if set, else the installed folder, else the source tree from which
/// the program was built. Throws InputError if none of them has a models folder.
[[nodiscard]] std::filesystem::path data_directory();

}  // namespace pimdse::models
