#include "models/find_architecture.hpp"

#include "models/catalogue.hpp"
#include "models/contract/published.hpp"
#include "models/economy/parts.hpp"
#include "models/machine_files.hpp"
#include "models/pair/pair.hpp"
#include "models/text/source_files.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

namespace pimdse::models {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view of_pairs = "pair:";

bool is_path(std::string_view name) { return name.ends_with(".toml") || name.find('/') != std::string_view::npos; }

/// The names of both machines of a pair; of anything else, its name alone.
std::vector<std::string_view> parts_of(std::string_view name) {
    if (!name.starts_with(of_pairs)) return {name};
    return sim::split(name.substr(of_pairs.size()), ':');
}

std::vector<std::string_view> checked_parts_of(std::string_view name) {
    auto parts = parts_of(name);
    if (name.starts_with(of_pairs) && parts.size() != 2)
        throw sim::InputError("'{}' is not pair:PREFILL:DECODE with two architectures (a path in a pair has no colon)",
                              name);
    return parts;
}

[[noreturn]] void unknown(std::string_view name) {
    std::vector<std::string> names(catalogue_names().begin(), catalogue_names().end());
    for (auto& machine : shipped_machines()) names.push_back(std::move(machine));
    std::error_code none;
    auto const file = fs::path(fmt::format("{}.toml", name));
    throw sim::InputError("unknown architecture '{}'.{}", name,
                          fs::is_regular_file(file, none) ? fmt::format(" Did you mean the file './{}'?", file.string())
                                                          : sim::suggestion(name, names));
}

/// `kept` is empty unless the texts of a result file count.
Architecture const& find(std::string_view name, std::vector<SourceFile> const& kept) {
    auto const parts = checked_parts_of(name);
    if (parts.size() == 2) return find_pair(find(parts[0], kept), find(parts[1], kept));
    if (is_path(name)) return machine_of_file(name, kept);
    if (auto const* known = find_in_catalogue(name)) return *known;
    if (auto const file = shipped_machine(name)) return machine_of_file(*file);
    unknown(name);
}

}  // namespace

Architecture const& find_architecture(std::string_view name) { return find(name, {}); }

Architecture const& find_kept_architecture(std::string_view name, std::vector<SourceFile> const& kept) {
    return find(name, kept);
}

Architecture const& find_pair(Architecture const& prefill, Architecture const& decode) {
    static std::mutex mutex;
    static std::map<std::pair<Architecture const*, Architecture const*>, Architecture> made;
    std::scoped_lock const lock(mutex);
    auto const key = std::pair(&prefill, &decode);
    auto const found = made.find(key);
    if (found != made.end()) return found->second;
    return made.emplace(key, pair::architecture(prefill, decode)).first->second;
}

std::string reference_of(Architecture const& architecture) {
    if (!architecture.parts.empty()) {
        std::vector<std::string> parts;
        for (auto const* part : architecture.parts) parts.push_back(reference_of(*part));
        return fmt::format("{}{}", of_pairs, fmt::join(parts, ":"));
    }
    bool const own = !architecture.files.empty() && !is_shipped(architecture.files.front());
    return own ? architecture.files.front().path : std::string(architecture.name);
}

std::string absolute_architecture(std::string_view name, fs::path const& folder) {
    std::vector<std::string> absolute;
    for (auto const part : parts_of(name))
        absolute.push_back(is_path(part) ? text::source_path(folder / part).string() : std::string(part));
    return fmt::format("{}{}", name.starts_with(of_pairs) ? of_pairs : "", fmt::join(absolute, ":"));
}

std::vector<fs::path> paths_in(std::string_view name) {
    std::vector<fs::path> paths;
    for (auto const part : parts_of(name))
        if (is_path(part)) paths.emplace_back(part);
    return paths;
}

std::vector<Architecture const*> shipped_architectures() {
    std::vector<Architecture const*> all;
    for (auto const& architecture : catalogue()) all.push_back(&architecture);
    for (auto const& name : shipped_machines()) all.push_back(&find_architecture(name));
    return all;
}

std::vector<Architecture const*> published_architectures() {
    auto all = shipped_architectures();
    all.push_back(&economy::parts());
    std::erase_if(all, [](Architecture const* architecture) { return !has_published(architecture->name); });
    return all;
}

}  // namespace pimdse::models
