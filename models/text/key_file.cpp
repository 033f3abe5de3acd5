#include "models/text/key_file.hpp"

#include "models/contract/toml_file.hpp"
#include "models/text/parameter_reader.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <string>
#include <vector>

namespace pimdse::models::text {

KeyFile::KeyFile(std::filesystem::path const& file) {
    std::vector<std::string> mistakes;
    auto const content = read_toml(file);
    for (auto const& [name, node] : *content) {
        auto const* table = node.as_table();
        if (table == nullptr) {
            mistakes.push_back(fmt::format("{}: '{}' is not a table", place(file, node.source()), name.str()));
            continue;
        }
        TableReader keys(*table, file, mistakes);
        if (auto key = read_parameter(std::string(name.str()), keys)) keys_.push_back(*std::move(key));
        keys.refuse_unknown_keys();
    }
    if (!mistakes.empty()) throw sim::InputError(mistakes);
}

Parameter KeyFile::operator[](std::string_view name) const {
    int const at = find_parameter(keys_, name);
    sim::expects(at >= 0, "the file describes the key");
    return keys_[static_cast<std::size_t>(at)];
}

}  // namespace pimdse::models::text
