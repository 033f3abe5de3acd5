#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::sim {

/// Settings of a configuration file of another program, each with its path: "timing.tCK" of an INI file (a key of a
/// section), "DRAM.org.channel" of YAML, "nodes.0.link" of a list in JSON. Of YAML it knows what such files use: nested
/// mappings and lists, mappings in braces, texts in quotes and comments.
class FlatSettings {
  public:
    /// Throws InputError with file and line, also for a path that is there twice.
    explicit FlatSettings(std::filesystem::path const& file);

    [[nodiscard]] std::string const& file() const { return file_; }
    /// The value at a path, which counts as used then; nullopt if there is none.
    [[nodiscard]] std::optional<std::string> text(std::string_view path);
    /// The same as a finite number. Throws InputError with file and line for another text.
    [[nodiscard]] std::optional<double> number(std::string_view path);
    /// The same as a whole number in plain digits. Throws InputError for other texts, which programs read differently:
    /// 010 as 8 or 10, 1e4 as 1 or 10,000.
    [[nodiscard]] std::optional<double> count(std::string_view path);
    /// The first of these paths that there is.
    [[nodiscard]] std::optional<double> first_count(std::vector<std::string> const& paths);
    /// Whether there is this path, or one below it.
    [[nodiscard]] bool has(std::string_view path) const;
    /// Paths that were not used, in the order of the file.
    [[nodiscard]] std::vector<std::string> unused() const;

  private:
    struct Setting {
        std::string path, value;
        std::int64_t line = 0;
    };
    void check_paths() const;
    void read_ini(std::string_view text);
    void read_yaml(std::string_view text);
    void read_json(std::string_view text);
    void add_value(std::string const& path, std::string_view value, std::int64_t line);
    [[nodiscard]] Setting const* find(std::string_view path);
    [[noreturn]] void refuse(std::int64_t line, std::string const& problem) const;

    std::string file_;
    std::vector<Setting> settings_;
    std::set<std::string, std::less<>> used_;
};

}  // namespace pimdse::sim
