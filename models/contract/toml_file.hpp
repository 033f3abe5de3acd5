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

/// Parses TOML; `name` stands for the file in messages. Throws InputError: not TOML (file, line and what the parser
/// says), more than 16 MiB, or nested beyond 32 levels of tables and lists, which is looked at before anything
/// recurses.
[[nodiscard]] toml::table parse_toml(std::string_view text, std::string_view name);

/// The same of a file. Throws InputError too where it cannot be read.
[[nodiscard]] toml::table read_toml(std::filesystem::path const& file);

/// What a count in a file must lie in, both ends included.
struct CountLimits {
    std::int64_t lower = 0, upper = 0;
};

/// A string, number or boolean as a person would write it on the command line. Throws InputError for anything else.
[[nodiscard]] std::string scalar_text(toml::node const& node);

/// One table of a TOML file read key by key; collects every mistake instead of stopping at the first. Only .cpp files
/// include this header: toml++ is heavy.
class TableReader {
  public:
    TableReader(toml::table const& table, std::filesystem::path file, std::vector<std::string>& mistakes);

    /// The value of a key that must be there; on a mistake, a default value and a sentence.
    [[nodiscard]] std::string text(std::string_view key);
    /// One of these texts; on a mistake the first.
    [[nodiscard]] std::string one_of(std::string_view key, std::vector<std::string> const& names);
    /// A number that is finite.
    [[nodiscard]] double number(std::string_view key);
    /// A whole number of 64 bits; 4.0 is one too.
    [[nodiscard]] std::int64_t integer(std::string_view key);
    /// A whole number within its limits; on a mistake the lower one.
    [[nodiscard]] std::int64_t count(std::string_view key, CountLimits limits);
    [[nodiscard]] bool flag(std::string_view key);
    /// The same for a key that may be left out.
    [[nodiscard]] std::string text_or(std::string_view key, std::string_view default_value);
    [[nodiscard]] bool flag_or(std::string_view key, bool default_value);
    [[nodiscard]] double number_or(std::string_view key, double default_value);
    /// The node of a key, marked as read; nullptr if absent.
    [[nodiscard]] toml::node const* node(std::string_view key);

    /// A sentence for every key nobody asked for, with the nearest known name.
    void refuse_unknown_keys();
    /// Adds a mistake at this key (or at the table if the key is absent).
    void mistake(std::string_view key, std::string const& sentence);

  private:
    /// The node of a key that must be there; on a mistake, nullptr and a sentence.
    toml::node const* present(std::string_view key, std::string_view what);
    template <class T>
    T required(std::string_view key, std::string_view what);

    toml::table const& table_;
    std::filesystem::path file_;
    std::vector<std::string>& mistakes_;
    std::set<std::string, std::less<>> asked_;
};

/// The first line at which TOML text nests tables and lists deeper than `deepest`: brackets that are open and dots of
/// one key together; 0 if there is none. Takes no stack, and looks at text that is not TOML too.
[[nodiscard]] int line_nested_beyond(std::string_view text, int deepest);

/// ../share/pimdse of the folder that the running program lies in: where an installed program has its data, wherever
/// it was moved to. Nothing says that it is there.
[[nodiscard]] std::filesystem::path installed_directory();

/// Where models/ and spaces/ are: $PIMDSE_DATA if set, else the installed folder, else the source tree the program was
/// built from. Throws InputError if none has a models folder.
[[nodiscard]] std::filesystem::path data_directory();

}  // namespace pimdse::models
