#include "models/machine_files.hpp"

#include "models/catalogue.hpp"
#include "models/contract/toml_file.hpp"
#include "models/text/source_files.hpp"
#include "models/text/text.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <list>
#include <mutex>
#include <system_error>

namespace pimdse::models {
namespace {

namespace fs = std::filesystem;

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
        throw sim::InputError(fmt::format("{}: '{}' is not the name of the file (a shipped machine is found by it)",
                                          place_of_name(machine, file), machine.name));
    }
    if (is_shipped_name(machine.name))
        throw sim::InputError(
            fmt::format("{}: '{}' is the name of an architecture that comes with the program (results of the two would "
                        "be taken for each other). Choose another name?",
                        place_of_name(machine, file), machine.name));
}

/// The same machine if it was read before. Machines live as long as the program, because spaces refer to them.
Architecture const& cached(Architecture machine) {
    static std::mutex mutex;
    static std::list<Architecture> machines;
    std::scoped_lock const lock(mutex);
    auto const same = std::ranges::find_if(machines, [&](auto const& known) { return known.files == machine.files; });
    return same != machines.end() ? *same : machines.emplace_back(std::move(machine));
}

}  // namespace

Architecture const& machine_of_file(fs::path const& file, std::vector<SourceFile> const& kept) {
    auto machine = text::architecture(file, kept);
    if (kept.empty()) check_name(machine, file);
    return cached(std::move(machine));
}

std::vector<std::string> shipped_machines() {
    std::vector<std::string> names;
    std::error_code none;
    for (auto const& entry : fs::directory_iterator(machines_folder(), none)) {
        auto const name = entry.path().stem().string();
        bool const in_catalogue = std::ranges::any_of(catalogue(), [&](auto const& one) { return one.name == name; });
        if (entry.path().extension() == ".toml" && !in_catalogue) names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

std::optional<fs::path> shipped_machine(std::string_view name) {
    auto const names = shipped_machines();
    if (std::ranges::find(names, name) == names.end()) return std::nullopt;
    return machines_folder() / fmt::format("{}.toml", name);
}

bool is_shipped_name(std::string_view name) {
    return std::ranges::any_of(catalogue(), [&](auto const& one) { return one.name == name; }) ||
           shipped_machine(name).has_value();
}

bool is_shipped(SourceFile const& machine) { return fs::path(machine.path).parent_path() == machines_folder(); }

}  // namespace pimdse::models
