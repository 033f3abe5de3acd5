#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace pimdse::dse::cli {

/// As printed; bytes of a file's name that are not UTF-8 become the replacement character, because JSON has no other
/// way to say them.
[[nodiscard]] inline std::string json_text(nlohmann::ordered_json const& json, int indent = 2) {
    return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace pimdse::dse::cli
