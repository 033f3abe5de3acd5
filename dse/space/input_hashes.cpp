#include "dse/space/input_hashes.hpp"

#include "dse/space/machine.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <tuple>

namespace pimdse::dse::space {

/// SHA-256 of the sources of sim and models that this program was built from (cmake/hash_sources.py): programs with the
/// same hash give the same results.
[[nodiscard]] std::string_view program_hash();

namespace {

/// The input name of the hash of the program's sources.
constexpr std::string_view of_the_program = "the program (its sim and models)";

std::string hash_of(std::filesystem::path const& file) { return space::file_sha256(file); }

/// Published figures are compared with results, but no result depends on them.
bool is_input(std::filesystem::path const& file) {
    return (file.extension() == ".toml" && file.filename() != "published.toml") || file.extension() == ".s";
}

/// The files that say what the keys of published models mean, as one input.
void add_families(InputHashes& hashes) {
    constexpr std::string_view name = "models/llm/families";
    if (std::ranges::find(hashes, name, &InputHashes::value_type::first) != hashes.end()) return;
    std::vector<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::directory_iterator(models::data_directory() / name))
        files.push_back(entry.path());
    std::ranges::sort(files);
    std::string text;
    for (auto const& file : files) text += fmt::format("{} {}\n", file.filename().string(), hash_of(file));
    hashes.emplace_back(name, sim::sha256(text));
}

namespace fs = std::filesystem;

/// The text as a JSON string, with quotes.
std::string quoted(std::string const& text) { return sim::Json(text).dump(); }

void replace_all(std::string& text, std::string const& what, std::string const& by) {
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

/// The folder and all its parents.
std::vector<fs::path> and_above(fs::path const& folder) {
    std::vector<fs::path> all{folder};
    while (all.back() != all.back().parent_path()) all.push_back(all.back().parent_path());
    return all;
}

/// The ends of a path: "home/me/proj/m.toml", "me/proj/m.toml", ..., "m.toml".
std::vector<fs::path> ends_of(fs::path const& file) {
    std::vector<fs::path> ends;
    for (auto part = file.begin(); part != file.end(); ++part) {
        fs::path end;
        for (auto at = part; at != file.end(); ++at) end /= *at;
        if (end.is_relative()) ends.push_back(std::move(end));
    }
    return ends;
}

std::string moved_file(std::string const& file, std::string const& sum, std::vector<fs::path> const& folders) {
    std::error_code unreadable;
    for (auto const& folder : folders) {
        for (auto const& end : ends_of(file)) {
            auto const place = folder / end;
            if (fs::exists(place, unreadable) && file_sha256(place) == sum) return place.string();
        }
    }
    return "";
}

/// The files of a folder that a model is read from, by name.
std::string folder_sha256(fs::path const& folder) {
    std::vector<fs::path> files;
    std::error_code unreadable;
    for (auto const& entry : fs::directory_iterator(folder, unreadable))
        if (auto const ending = entry.path().extension(); entry.path().filename().native().ends_with("config.json") ||
                                                          ending == ".safetensors" || ending == ".gguf" ||
                                                          entry.path().native().ends_with(".index.json"))
            files.push_back(entry.path());
    std::ranges::sort(files);
    std::string text;
    for (auto const& file : files) text += fmt::format("{} {}\n", file.filename().string(), file_sha256(file));
    return sim::sha256(text);
}

struct Input {
    std::string identity, sum, name;  ///< empty for a user's own file, which is identified by its content alone
};

bool before(Input const& a, Input const& b) { return std::tie(a.identity, a.sum) < std::tie(b.identity, b.sum); }

std::vector<Input> sorted(InputHashes const& hashes) {
    std::vector<Input> inputs;
    for (auto const& [name, sum] : hashes) inputs.push_back({is_own_file(name) ? "" : name, sum, name});
    std::sort(inputs.begin(), inputs.end(), before);
    return inputs;
}

}  // namespace

InputHashes input_hashes(models::Architecture const& architecture, std::set<std::string> const& texts) {
    namespace fs = std::filesystem;
    fs::path const root = models::data_directory();
    InputHashes hashes;
    for (auto const* part : architecture.parts) {
        auto const of_part = input_hashes(*part, texts);
        hashes.insert(hashes.end(), of_part.begin(), of_part.end());
    }
    auto const add_files = [&](fs::path const& folder, auto const& counts) {
        if (!fs::is_directory(root / folder)) return;
        for (auto const& entry : fs::recursive_directory_iterator(root / folder)) {
            if (is_input(entry.path()) && counts(entry.path()))
                hashes.emplace_back(fs::relative(entry.path(), root).generic_string(), hash_of(entry.path()));
        }
    };
    auto const is_named = [&](fs::path const& file) { return texts.contains(file.stem().string()); };
    if (architecture.files.empty())
        add_files(fs::path("models") / architecture.name, [](fs::path const&) { return true; });
    for (auto const& [path, text] : architecture.files)
        hashes.emplace_back(space::name_of_input(path), sim::sha256(text));
    add_files("models/llm", is_named);
    add_files("models/dram", is_named);
    for (auto const* shared : {"models/technology.toml", "models/economy.toml"})
        if (fs::exists(root / shared)) hashes.emplace_back(shared, hash_of(root / shared));
    hashes.emplace_back(of_the_program, program_hash());
    hashes.emplace_back(fmt::format("the version of {}'s results", architecture.name),
                        fmt::to_string(architecture.results_version));
    std::sort(hashes.begin(), hashes.end());
    hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
    return hashes;
}

InputHashes own_file_hashes(models::Inputs const& inputs) {
    InputHashes hashes;
    if (!inputs.options.constants.empty())
        hashes.emplace_back(inputs.options.constants, hash_of(inputs.options.constants));
    for (auto const& parameter : inputs.parameters) {
        for (auto const& choice : parameter.choices) {
            if (!models::names_own_file(choice)) continue;
            hashes.emplace_back(choice, hash_of(choice));
            if (!choice.ends_with(".toml")) add_families(hashes);
            auto const listing = models::listing_beside(choice);
            if (!listing.empty()) hashes.emplace_back(listing.string(), hash_of(listing));
        }
    }
    return hashes;
}

std::string name_of_input(fs::path const& file) {
    auto const whole = [](fs::path const& path) { return fs::absolute(path).lexically_normal(); };
    auto const below = whole(file).lexically_relative(whole(models::data_directory()));
    return below.empty() || below.begin()->string() == ".." ? file.string() : below.generic_string();
}

std::vector<models::SourceFile> machine_files(std::span<Machine const> machines) {
    std::vector<models::SourceFile> files;
    auto const add = [&](models::Architecture const& architecture, auto const& again) -> void {
        for (auto const* part : architecture.parts) again(*part, again);
        for (auto const& file : architecture.files)
            if (is_own_file(space::name_of_input(file.path))) files.push_back(file);
    };
    for (auto const& machine : machines) {
        add(*machine.architecture, add);
        if (auto const* baseline = machine.scenarios.baseline()) add(baseline->architecture(), add);
        for (auto const& table : machine.tables) files.push_back({table.table().head.file, table.table().text});
    }
    std::ranges::sort(files, {}, &models::SourceFile::path);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

/// Of weights count their size and the beginning, in which the header is: results depend on no weight.
std::string file_sha256(fs::path const& file) {
    std::error_code unreadable;
    if (fs::is_directory(file, unreadable)) return folder_sha256(file);
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return "";
    std::ostringstream content;
    if (file.extension() == ".gguf" || file.extension() == ".safetensors") {
        constexpr std::size_t beginning = 16 << 20;
        std::string first(beginning, '\0');
        stream.read(first.data(), static_cast<std::streamsize>(first.size()));
        first.resize(static_cast<std::size_t>(stream.gcount()));
        content << first << fs::file_size(file, unreadable);
    } else {
        content << stream.rdbuf();
    }
    return sim::sha256(content.str());
}

std::string identity_text(std::string_view canonical_text, InputHashes const& inputs) {
    std::string text(canonical_text);
    for (auto const& [name, sum] : inputs) {
        if (is_own_file(name)) replace_all(text, quoted(name), quoted(fmt::format("file of SHA-256 {}", sum)));
    }
    return text;
}

bool same_space(std::string_view a, InputHashes const& of_a, std::string_view b, InputHashes const& of_b) {
    return a == b || identity_text(a, of_a) == identity_text(b, of_b);
}

Places moved_files(InputHashes const& inputs, fs::path const& folder) {
    Places places;
    std::vector<fs::path> folders;
    for (auto const& [name, sum] : inputs) {
        if (!is_own_file(name) || file_sha256(name) == sum) continue;
        if (folders.empty()) folders = and_above(fs::absolute(folder).lexically_normal());
        if (auto place = moved_file(name, sum, folders); !place.empty()) places.emplace(name, std::move(place));
    }
    return places;
}

Places same_content(InputHashes const& inputs, InputHashes const& others) {
    Places places;
    for (auto const& [name, sum] : inputs) {
        if (!is_own_file(name) || std::ranges::find(others, std::pair(name, sum)) != others.end()) continue;
        auto const found = std::ranges::find_if(
            others, [&](auto const& other) { return is_own_file(other.first) && other.second == sum; });
        if (found != others.end()) places.emplace(name, found->first);
    }
    return places;
}

void rename_own_files(Columns& columns, Places const& places) {
    for (auto const& [old, now] : places) {
        replace_all(columns.canonical_text, quoted(old), quoted(now));
        for (auto& parameter : columns.parameters) std::ranges::replace(parameter.choices, old, now);
        for (auto& input : columns.input_hashes) {
            if (input.first == old) input.first = now;
        }
        for (auto& file : columns.machine_files) {
            if (file.path == old) file.path = now;
        }
    }
    std::sort(columns.input_hashes.begin(), columns.input_hashes.end());
}

bool is_own_file(std::string_view input) { return input.starts_with('/'); }

std::optional<std::string> differing_input(InputHashes const& a, InputHashes const& b) {
    if (a.empty() || b.empty()) return std::nullopt;
    auto const left = sorted(a), right = sorted(b);
    std::vector<Input> rest;
    std::set_symmetric_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(rest),
                                  before);
    // An input is in one list only, or in both with different contents; then the two are neighbours.
    for (std::size_t i = 0; i < rest.size(); ++i) {
        bool const in_both = i + 1 < rest.size() && rest[i].identity == rest[i + 1].identity;
        if (rest[i].identity.empty() || in_both) return rest[i].name;
    }
    return std::nullopt;
}

}  // namespace pimdse::dse::space
