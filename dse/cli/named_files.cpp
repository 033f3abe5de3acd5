#include "dse/cli/named_files.hpp"

#include "dse/cli/options.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/store/journal.hpp"
#include "models/contract/toml_file.hpp"
#include "models/machine_files.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

namespace pimdse::dse::cli {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

/// The longest file name that the file system allows in the folder of `path`, less the longest suffix that is appended.
std::size_t longest_name(fs::path const& path) {
    constexpr std::string_view longest_suffix = ".journal.damaged";
    constexpr long usual = 255;
    auto const folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    long const allowed = ::pathconf(folder.c_str(), _PC_NAME_MAX);
    return static_cast<std::size_t>(allowed > 0 ? allowed : usual) - longest_suffix.size();
}

/// Where the shipped space of this name would be; empty if `name` cannot be the name of a shipped space.
fs::path shipped_place(fs::path const& name) {
    bool const alone = !name.has_parent_path() && !name.has_extension();
    bool const as_listed = name.parent_path() == "spaces" && name.extension() == ".toml";
    if (name.empty() || (!alone && !as_listed)) return {};
    return models::data_directory() / "spaces" / (name.stem().string() + ".toml");
}

}  // namespace

std::vector<std::string> shipped_spaces() {
    std::vector<std::string> names;
    std::error_code none;
    for (auto const& entry : fs::directory_iterator(models::data_directory() / "spaces", none))
        if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string shown_name(std::string const& name) {
    constexpr std::size_t max = 200;
    return name.size() <= max ? name : fmt::format("{}... ({} bytes)", sim::beginning(name, 40), name.size());
}

fs::path input_file(std::string const& name) {
    fs::path const path(name);
    std::error_code error, none;
    auto const status = fs::status(path, error);
    if (error == std::errc::no_such_file_or_directory && fs::exists(store::journal::journal_path(path), none))
        throw sim::MissingInput(
            "{}: does not exist yet; only the journal of its run does. Use `pimdse watch {}` while the run "
            "goes on, or repeat its explore with --resume?",
            shown_name(name), shown_name(name));
    auto const refuse = [&](std::string const& why) { throw sim::MissingInput(sim::cannot_be_read(name, why)); };
    if (error && !fs::is_directory(status)) refuse(error.message());
    if (fs::is_directory(status)) refuse("it is a directory");
    if (fs::is_character_file(status) || fs::is_block_file(status)) refuse("it is a device");
    // A pipe of the shell, <(...) or /dev/stdin, is a link and has a writer; it is accepted.
    if (fs::symlink_status(path, error).type() == fs::file_type::fifo)
        refuse("it is a named pipe, which may never deliver anything");
    if (::access(path.c_str(), R_OK) != 0) refuse(reason(errno));
    return path;
}

fs::path space_file(std::string const& name) {
    std::error_code none;
    if (name.size() > PATH_MAX || fs::exists(name, none)) return input_file(name);
    auto const shipped = shipped_place(name);
    if (!shipped.empty() && fs::exists(shipped, none)) return input_file(shipped.string());
    try {
        return input_file(name);
    } catch (sim::MissingInput const& error) {
        if (models::is_shipped_name(name))
            throw sim::MissingInput(
                "{}. It is a machine, not a space: add --model MODEL, or use pimdse evaluate {} or a space "
                "of it (pimdse list spaces)?",
                error.what(), name);
        auto const near = sim::nearest_name(fs::path(name).stem().string(), shipped_spaces());
        if (near.empty() || std::string_view(error.what()).ends_with('?')) throw;
        throw sim::MissingInput("{}. Did you mean '{}' (a shipped space)?", error.what(), near);
    }
}

fs::path output_file(std::string const& name) {
    fs::path const path(name);
    if (name.empty() || !path.has_filename())
        throw UsageError("'{}' is not the name of a file to write. Use -o NAME.h5?", shown_name(name));
    std::size_t const length = path.filename().string().size();
    std::size_t const max = longest_name(path);
    if (length > max)
        throw UsageError(
            "{} cannot be written (its name has {} bytes; at most {} are allowed, because the name of its journal is "
            "longer)",
            shown_name(name), length, max);
    std::error_code error;
    auto const status = fs::status(path, error);
    if (error && status.type() == fs::file_type::none)
        throw UsageError("{} cannot be written ({})", shown_name(name), error.message());
    bool const replaceable =
        !fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status);  // a directory is refused later
    if (!replaceable)
        throw UsageError("{} cannot be written (it is a device, pipe or socket, and a result file would replace it)",
                         name);
    return path;
}

void refuse_same_file(fs::path const& input, fs::path const& output) {
    std::error_code error;
    if (!fs::equivalent(input, output, error) || error) return;
    throw UsageError("{} is the input file (writing the output there would destroy it). Use another output name?",
                     output.string());
}

void refuse_gone_level(store::ResultFile const& file) {
    if (file.front_fidelity != models::Fidelity::hybrid) return;
    throw sim::InputError(
        "the front of {0} is at hybrid fidelity, a level that no machine has now. Evaluate it again by "
        "explore --refine {0} --fidelity cycle?",
        file.path.string());
}

void warn_changed_input(store::ResultFile const& file, space::Space const& space) {
    if (auto const input = space::differing_input(file.columns.input_hashes, space::input_hashes(space)))
        std::cerr << fmt::format("pimdse: {} has changed since {} was written\n", *input, file.path.string());
}

std::string incomplete_text(store::ResultFile const& file) {
    if (auto const missing = store::missing_points(file); missing > 0)
        return fmt::format("{} of {} planned points are not in it", missing,
                           store::planned_in(store::united(file.provenance.plans)));
    if (!file.provenance.unfinished()) return "";
    return fmt::format("its run has not finished (state: {})", file.provenance.more_of("state"));
}

void warn_incomplete(store::ResultFile const& file) {
    if (auto const text = incomplete_text(file); !text.empty())
        std::cerr << fmt::format("pimdse: {} is incomplete: {}\n", file.path.string(), text);
}

void write_new(fs::path const& file, std::string const& text) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "wx"), &std::fclose);
    if (stream == nullptr && errno == EEXIST)
        throw UsageError("{} exists already (it is kept). Use another name?", file.string());
    bool const written = stream != nullptr && std::fwrite(text.data(), 1, text.size(), stream.get()) == text.size() &&
                         std::fflush(stream.get()) == 0;
    if (!written) throw sim::StorageError::from_errno(file, "write", errno);
}

}  // namespace pimdse::dse::cli
