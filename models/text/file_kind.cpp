#include "models/text/file_kind.hpp"

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <string_view>

namespace pimdse::models::text {
namespace {

bool has_any(toml::table const& content, auto const& keys) {
    return std::ranges::any_of(keys, [&](std::string_view key) { return content.contains(key); });
}

}  // namespace

bool is_space(toml::table const& content) {
    static constexpr std::array<std::string_view, 7> keys{"objectives", "architecture", "machine", "scenario",
                                                          "search",     "constraint",   "workload"};
    return has_any(content, keys);
}

bool is_machine(toml::table const& content) {
    static constexpr std::array<std::string_view, 6> keys{"parameter", "memory", "compute", "link", "run", "area"};
    return !is_space(content) && (has_any(content, keys) || (content.contains("name") && content.contains("summary")));
}

}  // namespace pimdse::models::text
