#include "dse/cli/verb.hpp"
#include "dse/space/columns.hpp"
#include "models/contract/toml_file.hpp"
#include "models/machine_files.hpp"
#include "models/text/head.hpp"
#include "models/text/machine_import.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/file_text.hpp"

#include <filesystem>

namespace pimdse::dse::cli {
namespace {

namespace fs = std::filesystem;

/// Throws UsageError for a name that no machine of the user's own can have.
void check_new_name(std::string const& name) {
    if (!models::text::is_machine_name(name)) {
        auto const stem = fs::path(name).stem().string();
        bool const as_file = stem != name && models::text::is_machine_name(stem);
        throw UsageError(
            "'{}' is not a valid name of a machine (a letter, then letters, digits and '_'; at most 64).{}",
            sim::clipped(name), as_file ? fmt::format(" Use pimdse new-machine {}?", stem) : "");
    }
    if (models::is_shipped_name(name))
        throw UsageError("'{}' is the name of an architecture that comes with the program. Choose another name?", name);
}

/// The shipped skeleton, in which NAME stands for the name.
std::string skeleton_for(std::string const& name) {
    constexpr std::string_view placeholder = "NAME";
    auto const file = models::data_directory() / "models" / "text" / "skeleton.toml";
    auto text = sim::file_text(file).value_or("");
    if (text.empty()) throw sim::MissingInput(sim::cannot_be_read(file.string()));
    for (auto at = text.find(placeholder); at != text.npos; at = text.find(placeholder, at + name.size()))
        text.replace(at, placeholder.size(), name);
    return text;
}

}  // namespace

int run_new_machine(CommandLine const& values) {
    auto const name = values.needed("name");
    check_new_name(name);
    fs::path const file = values.given("output").value_or(name + ".toml");
    auto const shown = file.has_parent_path() ? file.string() : "./" + file.string();
    write_new(file, values.count("from") == 0 ? skeleton_for(name)
                                              : models::text::imported_machine(input_file(values.text("from")), name));
    std::cout << fmt::format("{}: a machine that runs. Next:\n  pimdse describe {}\n  pimdse evaluate {}\n",
                             file.string(), space::shell_word(shown), space::shell_word(shown));
    return complete;
}

}  // namespace pimdse::dse::cli
