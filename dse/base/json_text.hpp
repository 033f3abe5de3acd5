#pragma once

#include "models/contract/parameter.hpp"
#include "sim/base/json.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace pimdse::dse::base {

/// The value as JSON, or null if there is none (for example the mean of no values).
template <class Value>
[[nodiscard]] sim::Json or_null(std::optional<Value> const& value) {
    return value ? sim::Json(*value) : sim::Json(nullptr);
}

/// A finite number, or null.
[[nodiscard]] inline sim::Json finite_or_null(double number) {
    return std::isfinite(number) ? sim::Json(number) : sim::Json(nullptr);
}

[[nodiscard]] bool is_utf8(std::string_view text);

/// The text with every byte that is not valid UTF-8 replaced by U+FFFD: command lines and host names may contain any
/// bytes.
[[nodiscard]] std::string as_utf8(std::string_view text);

/// A value as JSON: numbers in SI units with all bits, so that equal JSON means equal values; choices as text.
[[nodiscard]] sim::Json value_json(models::Parameter const& parameter, models::Value const& value);

/// A value as a cell of a machine-readable table (CSV): "400000000" for 400 MHz.
[[nodiscard]] std::string value_cell(models::Parameter const& parameter, models::Value const& value);

}  // namespace pimdse::dse::base
