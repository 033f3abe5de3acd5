#pragma once

#include "models/contract/architecture.hpp"

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace pimdse::dse::base {

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

[[nodiscard]] bool is_utf8(std::string_view text);

/// The text with every byte that is no UTF-8 replaced by U+FFFD: command lines and names of hosts may be any bytes.
[[nodiscard]] std::string as_utf8(std::string_view text);

/// Numbers as they are (SI, every bit), so that equal JSON means equal values; names as text.
[[nodiscard]] nlohmann::ordered_json value_json(models::Parameter const& parameter, models::Value const& value);

/// The same as a cell of a table for programs (csv): "400000000" of 400 MHz.
[[nodiscard]] std::string value_cell(models::Parameter const& parameter, models::Value const& value);

}  // namespace pimdse::dse::base
