#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace pimdse::dse::cli {

/// As printed; bytes of a file's name that are not UTF-8 become the replacement character, because JSON has no other
/// way to say them.
[[nodiscard]] inline std::string json_text(nlohmann::ordered_json const& json, int indent = 2) {
    return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// A mean, a percentile or a spread; null of nothing.
template <class Value>
[[nodiscard]] nlohmann::ordered_json or_null(std::optional<Value> const& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace pimdse::dse::cli
