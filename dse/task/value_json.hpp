#pragma once

#include "models/contract/architecture.hpp"

#include <nlohmann/json_fwd.hpp>

namespace pimdse::dse::task {

/// Numbers as they are (SI, every bit), so that equal JSON means equal values; names as text.
[[nodiscard]] nlohmann::ordered_json value_json(models::Parameter const& parameter, models::Value const& value);

}  // namespace pimdse::dse::task
