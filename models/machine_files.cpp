#include "models/machine_files.hpp"

#include "models/catalogue.hpp"
#include "models/contract/toml_file.hpp"
#include "models/text/source_files.hpp"
#include "models/text/text.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <list>
#include <mutex>
#include <system_error>

namespace pimdse::models {
namespace {

namespace fs = std::filesystem;

bool is_in_catalogue(std::string_view name) {
    return std::ranges::find(catalogue_names(), name) != catalogue_names().end();
}

fs::path machines_folder() { return text::source_path(data_directory() / "models" / "machines"); }

/// "FILE:LINE" of the name in a machine's file.
std::string place_of_name(Architecture const& machine, fs::path const& file) {
    auto const content = parse_toml(machine.files.front().text, file.string());
    auto const* name = content.get("name");
    return name == nullptr ? file.string() : place(file, name->source());
}

/// Throws InputError if results of the machine would be taken for those of another one.
void check_name(Architecture const& machine, fs::path const& file) {
    if (is_shipped(machine.files.front())) {
        if (machine.name == file.stem().string()) return;
        throw sim::InputError("{}: '{}' is not the name of the file (a shipped machine is found by it)",
                              place_of_name(machine, file), machine.name);
    }
    if (is_shipped_name(machine.name))
        throw sim::InputError(
            "{}: '{}' is the name of an architecture that comes with the program (results of the two would "
            "be taken for each other). Choose another name?",
            place_of_name(machine, file), machine.name);
}

/// Whether the files of a machine have the texts that it was read from.
bool is_current(Architecture const& machine, std::vector<SourceFile> const& kept) {
    try {
        text::SourceFiles sources(kept);
        return std::ranges::all_of(machine.files,
                                   [&](SourceFile const& file) { return sources.read(file.path) == file.text; });
    } catch (sim::InputError const&) {
        return false;  // a file was removed
    }
}

/// Machines that were read. They live as long as the program, because spaces refer to them.
class Machines {
  public:
    /// Nothing if the file was not read yet, or has changed since.
    [[nodiscard]] Architecture const* find(fs::path const& file, std::vector<SourceFile> const& kept) {
        auto const path = text::source_path(file).string();
        std::scoped_lock const lock(mutex_);
        auto const found = std::ranges::find_if(
            machines_, [&](auto const& known) { return known.files.front().path == path && is_current(known, kept); });
        return found == machines_.end() ? nullptr : &*found;
    }
    Architecture const& add(Architecture machine) {
        std::scoped_lock const lock(mutex_);
        auto const same =
            std::ranges::find_if(machines_, [&](auto const& known) { return known.files == machine.files; });
        return same != machines_.end() ? *same : machines_.emplace_back(std::move(machine));
    }

  private:
    std::mutex mutex_;
    std::list<Architecture> machines_;
};

}  // namespace

Architecture const& machine_of_file(fs::path const& file, std::vector<SourceFile> const& kept) {
    static Machines machines;
    auto const* known = machines.find(file, kept);
    auto const& machine = known != nullptr ? *known : machines.add(text::architecture(file, kept));
    if (kept.empty()) check_name(machine, file);
    return machine;
}

std::vector<std::string> shipped_machines() {
    std::vector<std::string> names;
    std::error_code none;
    for (auto const& entry : fs::directory_iterator(machines_folder(), none)) {
        auto const name = entry.path().stem().string();
        if (entry.path().extension() == ".toml" && !is_in_catalogue(name)) names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

std::optional<fs::path> shipped_machine(std::string_view name) {
    auto const names = shipped_machines();
    if (std::ranges::find(names, name) == names.end()) return std::nullopt;
    return machines_folder() / fmt::format("{}.toml", name);
}

bool is_shipped_name(std::string_view name) { return is_in_catalogue(name) || shipped_machine(name).has_value(); }

bool is_shipped(SourceFile const& machine) { return fs::path(machine.path).parent_path() == machines_folder(); }

}  // namespace pimdse::models
