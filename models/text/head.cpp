#include "models/text/head.hpp"
#include "models/text/source_files.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cctype>

namespace pimdse::models::text {
namespace {

constexpr std::int64_t known_schema = 1;

}  // namespace

bool is_machine_name(std::string_view name) {
    constexpr std::size_t longest = 64;
    auto const fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    return !name.empty() && name.size() <= longest && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
           std::ranges::all_of(name, fits);
}

Head read_head(TableReader& root, toml::table const& content, std::filesystem::path const& file) {
    if (content.empty())
        throw sim::InputError(
            fmt::format("{}: is empty (a machine has a name and components). `pimdse new-machine NAME` writes one that "
                        "runs?",
                        file.string()));
    if (is_space(content))
        throw sim::InputError(fmt::format(
            "{0}: is a space and not a machine. Explore it with `pimdse explore {0} -o FILE.h5`?", file.string()));
    if (root.node("schema") != nullptr && root.integer("schema") != known_schema)
        root.mistake("schema", "schema is not 1 (this program reads machines of schema 1)");
    Head head{root.text("name"), root.text_or("summary", "")};
    if (content["name"].is_string() && !is_machine_name(head.name))
        root.mistake("name",
                     fmt::format("'{}' is not a valid name of a machine (a letter, then letters, digits and '_'; at "
                                 "most 64)",
                                 sim::clipped(head.name)));
    if (head.summary.find('\n') != std::string::npos) root.mistake("summary", "'summary' has more than one line");
    return head;
}

}  // namespace pimdse::models::text
