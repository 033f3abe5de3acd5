#include "models/llm/family.hpp"

#include "models/contract/toml_file.hpp"
#include "models/llm/config_reader.hpp"
#include "sim/base/check.hpp"
#include "sim/base/memo.hpp"

#include <toml++/toml.h>
#include <algorithm>
#include <filesystem>

namespace pimdse::models {
namespace {

using sim::Json;

constexpr std::string_view root = "llama";  ///< the family from which all others begin
constexpr int deepest = 8;                  ///< families that are like one another

std::filesystem::path folder() { return data_directory() / "models" / "llm" / "families"; }

/// Adds the entries of a table to those that are there, which they replace.
template <class Map>
void take(toml::table const& file, std::string_view table, Map& into) {
    auto const* entries = file[table].as_table();
    if (entries == nullptr) return;
    for (auto const& [key, value] : *entries) {
        if constexpr (std::is_same_v<Map, ConfigFamily::Texts>)
            into[std::string(key.str())] = scalar_text(value);
        else
            into[std::string(key.str())] = json_of(value);
    }
}

/// The entries of [[layers]], behind those of the family that this one is like.
void take_layers(toml::table const& file, std::vector<ConfigFamily::Values>& into) {
    auto const* entries = file["layers"].as_array();
    if (entries == nullptr) return;
    for (auto const& entry : *entries) {
        ConfigFamily::Values changes;
        for (auto const& [key, value] : *entry.as_table()) changes[std::string(key.str())] = json_of(value);
        into.push_back(std::move(changes));
    }
}

void check_tables(toml::table const& file, std::filesystem::path const& path) {
    std::vector<std::string> mistakes;
    TableReader reader(file, path, mistakes);
    (void)reader.text("source");
    (void)reader.text_or("like", "");
    (void)reader.text_or("model_type", "");
    for (auto const* table :
         {"defaults", "null", "names", "shape", "layers", "refused", "noted", "ignored", "types", "modules"})
        (void)reader.node(table);
    reader.refuse_unknown_keys();
    if (!mistakes.empty()) throw sim::InputError(mistakes);
}

ConfigFamily read_family(std::string const& name, int depth) {
    auto const path = folder() / (name + ".toml");
    auto const read = read_toml(path);
    auto const& file = *read;
    check_tables(file, path);
    auto const like = file["like"].value_or(name == root ? std::string() : std::string(root));
    if (depth == deepest) throw sim::InputError("{}: more than {} families", path.string(), deepest);
    ConfigFamily family = like.empty() ? ConfigFamily{} : read_family(like, depth + 1);
    family.name = name;
    family.source = file["source"].value_or(std::string());
    family.other_type = file["model_type"].value_or(std::string());
    take(file, "defaults", family.defaults);
    take(file, "null", family.nulls);
    take(file, "names", family.names);
    take(file, "shape", family.shape);
    take_layers(file, family.layers);
    take(file, "refused", family.refused);
    take(file, "noted", family.noted);
    take(file, "ignored", family.ignored);
    take(file, "types", family.types);
    take(file, "modules", family.modules);
    return family;
}

}  // namespace

Json ConfigFamily::of_shape(std::string_view key) const {
    auto const found = shape.find(key);
    return found == shape.end() ? Json() : found->second;
}

std::string ConfigFamily::module(std::string_view part) const {
    auto const found = modules.find(part);
    return found == modules.end() ? std::string() : found->second;
}

std::vector<std::string> family_names() {
    std::vector<std::string> names;
    for (auto const& entry : std::filesystem::directory_iterator(folder()))
        if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

std::shared_ptr<ConfigFamily const> find_family(std::string const& name) {
    static sim::Memo<std::string, std::shared_ptr<ConfigFamily const>> const known;
    return known.get(name, [](std::string const& key) -> std::shared_ptr<ConfigFamily const> {
        bool const plain = !key.empty() && key.find_first_of("/\\.") == key.npos && key.size() < 100;
        std::error_code error;
        if (!plain || !std::filesystem::exists(folder() / (key + ".toml"), error)) return nullptr;
        return std::make_shared<ConfigFamily const>(read_family(key, 0));
    });
}

}  // namespace pimdse::models
