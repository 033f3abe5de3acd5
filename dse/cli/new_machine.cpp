#include "dse/base/durable_file.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/verb.hpp"
#include "models/contract/toml_file.hpp"
#include "models/machine_files.hpp"
#include "models/text/head.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

namespace pimdse::dse::cli {
namespace {

namespace fs = std::filesystem;

Manual const new_machine_manual{
    "pimdse new-machine NAME",
    "Writes NAME.toml, a machine with comments that runs as it is, to be changed into a machine of your own "
    "(docs/own_machine.md). A file that exists is kept.",
    "  pimdse new-machine my_card\nwrites my_card.toml; then pimdse evaluate ./my_card.toml evaluates it.",
    {"name"}};

/// Throws UsageError for a name that no machine of the user's own can have.
void check_new_name(std::string const& name) {
    if (!models::text::is_machine_name(name)) {
        auto const stem = fs::path(name).stem().string();
        bool const as_file = stem != name && models::text::is_machine_name(stem);
        throw UsageError(
            fmt::format("'{}' is not a valid name of a machine (a letter, then letters, digits and '_'; at "
                        "most 64).{}",
                        sim::clipped(name), as_file ? fmt::format(" Use pimdse new-machine {}?", stem) : ""));
    }
    if (models::is_shipped_name(name))
        throw UsageError(
            fmt::format("'{}' is the name of an architecture that comes with the program. Choose another name?", name));
}

/// The shipped skeleton, in which NAME stands for the name.
std::string skeleton_for(std::string const& name) {
    constexpr std::string_view placeholder = "NAME";
    auto const file = models::data_directory() / "models" / "text" / "skeleton.toml";
    std::ifstream stream(file);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream.is_open() || text.empty()) throw base::MissingInput(sim::cannot_be_read(file.string()));
    for (auto at = text.find(placeholder); at != text.npos; at = text.find(placeholder, at + name.size()))
        text.replace(at, placeholder.size(), name);
    return text;
}

/// Throws UsageError for a file that exists, StorageError if it cannot be written.
void write_new(fs::path const& file, std::string const& text) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "wx"), &std::fclose);
    if (stream == nullptr && errno == EEXIST)
        throw UsageError(fmt::format("{} exists already (it is kept). Use another name?", file.string()));
    bool const written = stream != nullptr && std::fwrite(text.data(), 1, text.size(), stream.get()) == text.size() &&
                         std::fflush(stream.get()) == 0;
    if (!written) throw base::StorageError::from_errno(file, "write", errno);
}

}  // namespace

int run_new_machine(std::vector<std::string> const& arguments) {
    auto const values = parse(new_machine_manual, po::options_description("Flags"), arguments);
    if (!values) return complete;
    auto const name = needed(*values, "name", new_machine_manual);
    check_new_name(name);
    fs::path const file = name + ".toml";
    write_new(file, skeleton_for(name));
    std::cout << fmt::format("{0}: a machine that runs. Next:\n  pimdse describe ./{0}\n  pimdse evaluate ./{0}\n",
                             file.string());
    return complete;
}

}  // namespace pimdse::dse::cli
