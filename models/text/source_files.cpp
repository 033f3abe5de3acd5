#include "models/text/source_files.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace pimdse::models::text {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_bytes = std::uintmax_t{16} << 20;

[[noreturn]] void refuse(fs::path const& file, std::string const& why) {
    throw sim::InputError(fmt::format("{}: {}", sim::clipped(file.string()), why));
}

[[noreturn]] void unreadable(fs::path const& file, std::string const& why) {
    throw sim::InputError(sim::cannot_be_read(file.string(), why));
}

std::string text_on_disk(fs::path const& file) {
    std::error_code error, none;
    auto const status = fs::status(file, error);
    if (!fs::exists(status))
        unreadable(file,
                   error ? error.message() : std::make_error_code(std::errc::no_such_file_or_directory).message());
    if (fs::is_directory(status)) unreadable(file, "it is a directory");
    if (!fs::is_regular_file(status)) unreadable(file, "it is not a regular file");
    if (fs::file_size(file, none) > max_bytes && !none)
        refuse(file, "is larger than 16 MiB (a machine is a short text)");
    std::ifstream stream(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream.is_open() || stream.bad()) unreadable(file, "no permission");
    if (text.starts_with("\x89HDF\r\n\x1a\n")) refuse(file, "is a result file (a machine is a TOML text file)");
    if (text.find('\0') != std::string::npos) refuse(file, "is not a text (a machine is a TOML text file)");
    return text;
}

bool has_any(toml::table const& content, auto const& keys) {
    return std::ranges::any_of(keys, [&](std::string_view key) { return content.contains(key); });
}

}  // namespace

fs::path source_path(fs::path const& file) { return fs::absolute(file).lexically_normal(); }

std::string SourceFiles::read(fs::path const& file) {
    auto const path = source_path(file).string();
    auto const has_path = [&](SourceFile const& known) { return known.path == path; };
    if (auto const known = std::ranges::find_if(files_, has_path); known != files_.end()) return known->text;
    auto const kept = std::ranges::find_if(kept_, has_path);
    return files_.emplace_back(SourceFile{path, kept != kept_.end() ? kept->text : text_on_disk(file)}).text;
}

bool is_space(toml::table const& content) {
    static constexpr std::array<std::string_view, 7> keys{"objectives", "architecture", "machine", "scenario",
                                                          "search",     "constraint",   "workload"};
    return has_any(content, keys);
}

bool is_machine(toml::table const& content) {
    static constexpr std::array<std::string_view, 6> keys{"parameter", "memory", "compute", "link", "run", "area"};
    return !is_space(content) && (has_any(content, keys) || (content.contains("name") && content.contains("summary")));
}

}  // namespace pimdse::models::text
