#pragma once

#include "models/contract/architecture.hpp"

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace pimdse::dse::base {

/// JSON text for output. Bytes of file names that are not valid UTF-8 become the replacement character, because JSON
/// cannot represent them.
[[nodiscard]] inline std::string json_text(nlohmann::ordered_json const& json, int indent = 2) {
    return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// The value as JSON, or null if there is none (for example the mean of no values).
template <class Value>
[[nodiscard]] nlohmann::ordered_json or_null(std::optional<Value> const& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

[[nodiscard]] bool is_utf8(std::string_view text);

/// The text with every byte that is not valid UTF-8 replaced by U+FFFD: command lines and host names may contain any
/// bytes.
[[nodiscard]] std::string as_utf8(std::string_view text);

/// A value as JSON: numbers in SI units with all bits, so that equal JSON means equal values; choices as text.
[[nodiscard]] nlohmann::ordered_json value_json(models::Parameter const& parameter, models::Value const& value);

/// A value as a cell of a machine-readable table (CSV): "400000000" for 400 MHz.
[[nodiscard]] std::string value_cell(models::Parameter const& parameter, models::Value const& value);

}  // namespace pimdse::dse::base
