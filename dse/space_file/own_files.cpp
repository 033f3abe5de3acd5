#include "dse/space_file/own_files.hpp"

#include "models/contract/own_file.hpp"

namespace pimdse::dse::space_file {

namespace fs = std::filesystem;

void make_absolute(toml::node& node, fs::path const& folder) {
    if (auto* table = node.as_table()) {
        for (auto&& [_, entry] : *table) make_absolute(entry, folder);
    } else if (auto* list = node.as_array()) {
        for (auto& entry : *list) make_absolute(entry, folder);
    } else if (auto* text = node.as_string(); text != nullptr && models::names_own_file(text->get())) {
        text->get() = fs::absolute(folder / text->get()).lexically_normal().string();
    }
}

void make_files_absolute(toml::table& content, fs::path const& folder) {
    for (auto const* key : {"constants", "workload", "parameters", "scenario", "machine", "baseline"}) {
        if (auto* node = content.get(key)) make_absolute(*node, folder);
    }
}

}  // namespace pimdse::dse::space_file
