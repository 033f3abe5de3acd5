#include "models/contract/toml_file.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/file_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace pimdse::models {

std::string place(std::filesystem::path const& file, toml::source_region const& where) {
    auto const& read_from = where.path;  // of a table that several files make up
    return fmt::format("{}:{}", read_from ? *read_from : file.string(), where.begin.line);
}

namespace {

/// ". Quote it: ..." if the line has a number with a unit after its '='; otherwise "".
std::string quoting_hint(std::string_view text, std::size_t line) {
    auto const lines = sim::split(text, '\n');
    if (line == 0 || line > lines.size()) return "";
    auto const value =
        sim::trimmed(lines[line - 1].substr(std::min(lines[line - 1].find('=') + 1, lines[line - 1].size())));
    auto const unit = value.find_first_not_of("0123456789.+-_ ");
    bool const quantity = !value.empty() && std::isdigit(static_cast<unsigned char>(value[0])) != 0 &&
                          unit != value.npos && std::isalpha(static_cast<unsigned char>(value[unit])) != 0;
    return quantity ? fmt::format(". Quote it: \"{}\"?", sim::clipped(value)) : "";
}

/// What tells a file from what it was before: any change of its content sets the time of its inode.
struct FileStamp {
    std::string file;
    std::uint64_t device = 0, inode = 0;
    std::int64_t bytes = 0, seconds = 0, nanoseconds = 0;
    auto operator<=>(FileStamp const&) const = default;

    /// Whether the file may change once more without another time: clocks of file systems tick every second or faster.
    [[nodiscard]] bool is_fresh() const {
        constexpr std::int64_t second = 1'000'000'000, margin = 100'000'000;  // ns
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        return (now.tv_sec - seconds) * second + now.tv_nsec - nanoseconds < second + margin;
    }
};

/// Throws InputError if the path does not exist or names something else than a file.
FileStamp stamp_of(std::string const& file) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0 || S_ISDIR(found.st_mode)) throw sim::InputError(sim::cannot_be_read(file));
    return {file, found.st_dev, found.st_ino, found.st_size, found.st_ctim.tv_sec, found.st_ctim.tv_nsec};
}

struct ParsedToml {
    toml::table table;
    std::size_t bytes = 0;  ///< of the text
    [[nodiscard]] std::size_t weight() const { return bytes; }
};

std::shared_ptr<ParsedToml const> parsed(FileStamp const& stamp) {
    auto const text = sim::file_text(stamp.file);
    if (!text) throw sim::InputError(sim::cannot_be_read(stamp.file));
    return std::make_shared<ParsedToml const>(ParsedToml{parse_toml(*text, stamp.file), text->size()});
}

/// End of the string that begins with the quote at `at`: after the closing quotes, or at the end of the line or text.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    char const quote = text[at];
    std::string_view const three = quote == '"' ? "\"\"\"" : "'''";
    bool const lines = text.substr(at).starts_with(three);
    for (at += lines ? 3 : 1; at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"') {
            ++at;
        } else if (lines ? text.substr(at).starts_with(three) : text[at] == quote) {
            return at + (lines ? 3 : 1);
        } else if (!lines && text[at] == '\n') {
            return at;
        }
    }
    return text.size();
}

class Depth {
  public:
    /// Depth of nesting after this letter.
    int after(char letter) {
        if (letter == '[' || letter == '{') {
            ++open_;
            dots_ = 0;
        } else if (letter == ']' || letter == '}') {
            open_ = std::max(0, open_ - 1);
            dots_ = 0;
        } else if (letter == '.') {
            ++dots_;
        } else if (letter == ',' || letter == '=' || letter == '\n') {
            dots_ = 0;
        }
        return open_ + dots_;
    }

  private:
    int open_ = 0, dots_ = 0;
};

}  // namespace

toml::table parse_toml(std::string_view text, std::string_view name) {
    constexpr std::size_t largest = 16 << 20;
    constexpr int deepest = 32;
    if (text.size() > largest)
        throw sim::InputError("{}: the file has {} bytes (at most {} are accepted)", name, text.size(), largest);
    if (auto const line = line_nested_beyond(text, deepest); line != 0)
        throw sim::InputError("{}:{}: it is nested too deeply (at most {} levels of tables and lists)", name, line,
                              deepest);
    text = sim::without_byte_order_mark(text);
    try {
        return toml::parse(text, name);
    } catch (toml::parse_error const& error) {
        throw sim::InputError("{}: {} (this is not TOML){}", place(std::string(name), error.source()),
                              sim::clipped(error.description()), quoting_hint(text, error.source().begin.line));
    }
}

std::shared_ptr<toml::table const> read_toml(std::filesystem::path const& file) {
    constexpr std::size_t kept_bytes = 32 << 20;
    static sim::LruCache<FileStamp, ParsedToml> const cache(kept_bytes);
    auto const stamp = stamp_of(file.string());
    auto const result = stamp.is_fresh() ? parsed(stamp) : cache.get(stamp, parsed);
    return {result, &result->table};
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

toml::source_region const& TableReader::region() const { return table_.source(); }

toml::node const* TableReader::node(std::string_view key) {
    read_.emplace(key);
    return table_.get(key);
}

void TableReader::mistake(std::string_view key, std::string const& sentence) {
    auto const* at = table_.get(key);
    mistakes_.push_back(fmt::format("{}: {}", place(file_, at != nullptr ? at->source() : table_.source()), sentence));
}

toml::node const* TableReader::present(std::string_view key, std::string_view what) {
    auto const* found = node(key);
    if (found == nullptr) mistake(key, fmt::format("'{}' is missing (it must be {})", key, what));
    return found;
}

template <class T>
T TableReader::required(std::string_view key, std::string_view what) {
    auto const* found = present(key, what);
    if (found == nullptr) return T{};
    // The library would accept 7 for true, and true for 1.
    bool const fits = std::is_same_v<T, double> ? found->is_number() : found->is<T>();
    if (fits) return found->value<T>().value_or(T{});
    mistake(key, fmt::format("'{}' is not {}", key, what));
    return T{};
}

std::string TableReader::text(std::string_view key) { return required<std::string>(key, "a text in quotes"); }

double TableReader::number(std::string_view key) {
    auto const value = required<double>(key, "a number");
    if (std::isfinite(value)) return value;
    mistake(key, fmt::format("'{}' is {} (it must be a finite number)", key, value));
    return 0.0;
}

std::int64_t TableReader::integer(std::string_view key) {
    constexpr std::string_view what = "a whole number";
    auto const* found = present(key, what);
    if (found == nullptr) return 0;
    if (found->is_integer()) return *found->value<std::int64_t>();
    auto const whole = found->is_floating_point() ? sim::exact_whole(*found->value<double>()) : std::nullopt;
    if (!whole) mistake(key, fmt::format("'{}' is not {}", key, what));
    return whole.value_or(0);
}

std::int64_t TableReader::count(std::string_view key, CountLimits limits) {
    auto const before = mistakes_.size();
    auto const value = integer(key);
    if (mistakes_.size() == before && value >= limits.lower && value <= limits.upper) return value;
    if (mistakes_.size() == before)
        mistake(key, fmt::format("'{}' = {} is out of range (it must lie in {}..{})", key, value, limits.lower,
                                 limits.upper));
    return limits.lower;
}

bool TableReader::flag(std::string_view key) { return required<bool>(key, "true or false"); }

std::string TableReader::one_of(std::string_view key, std::vector<std::string> const& names) {
    auto const before = mistakes_.size();
    auto named = text(key);
    if (mistakes_.size() != before || std::ranges::find(names, named) != names.end()) return named;
    mistake(key, fmt::format("'{}' is '{}', which is not accepted.{}", key, sim::clipped(named),
                             sim::suggestion(named, names)));
    return names.front();
}

std::string TableReader::text_or(std::string_view key, std::string_view default_value) {
    return node(key) != nullptr ? text(key) : std::string(default_value);
}
bool TableReader::flag_or(std::string_view key, bool default_value) {
    return node(key) != nullptr ? flag(key) : default_value;
}
double TableReader::number_or(std::string_view key, double default_value) {
    return node(key) != nullptr ? number(key) : default_value;
}

void TableReader::refuse_unknown_keys() {
    std::vector<std::string> const known(read_.begin(), read_.end());
    for (auto const& [key, value] : table_) {
        if (!read_.contains(key.str())) {
            mistakes_.push_back(fmt::format("{}: unknown key '{}'.{}", place(file_, key.source()), key.str(),
                                            sim::suggestion(key.str(), known)));
        }
    }
}

int line_nested_beyond(std::string_view text, int deepest) {
    Depth depth;
    std::size_t at = 0;
    while (at < text.size()) {
        char const letter = text[at];
        if (letter == '"' || letter == '\'') {
            at = end_of_string(text, at);
        } else if (letter == '#') {
            at = std::min(text.find('\n', at), text.size());
        } else {
            if (depth.after(letter) > deepest) {
                return 1 +
                       static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
            }
            ++at;
        }
    }
    return 0;
}

namespace fs = std::filesystem;

fs::path installed_directory() {
    static fs::path const program = [] {
        std::error_code ignored_if_no_proc;
        return fs::read_symlink("/proc/self/exe", ignored_if_no_proc);
    }();
    return program.parent_path().parent_path() / "share" / "pimdse";
}

fs::path data_directory() {
    char const* const variable = std::getenv("PIMDSE_DATA");
    std::string const chosen = variable == nullptr ? "" : variable;
    thread_local std::pair<std::string, fs::path> last;
    if (!last.second.empty() && last.first == chosen) return last.second;
    std::vector<fs::path> candidates{installed_directory()};
    if (constexpr std::string_view source = PIMDSE_SOURCE_DIR; !source.empty()) candidates.emplace_back(source);
    if (!chosen.empty()) candidates = {chosen};
    for (auto const& candidate : candidates) {
        if (std::error_code none; !fs::is_directory(candidate / "models" / "llm", none)) continue;
        last = {chosen, candidate};
        return candidate;
    }
    throw sim::InputError(
        "the data folder with models/ is not at {} (it was moved or not installed). Set PIMDSE_DATA to it?",
        candidates.front().string());
}

}  // namespace pimdse::models
