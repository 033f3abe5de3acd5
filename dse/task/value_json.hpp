#pragma once

#include "models/contract/architecture.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pimdse::dse::task {

/// Numbers as they are (SI, every bit), so that equal JSON means equal values; names as text.
[[nodiscard]] nlohmann::ordered_json value_json(models::Parameter const& parameter, models::Value const& value);

/// The same as a cell of a table for programs (csv): "400000000" of 400 MHz.
[[nodiscard]] std::string value_cell(models::Parameter const& parameter, models::Value const& value);

}  // namespace pimdse::dse::task
