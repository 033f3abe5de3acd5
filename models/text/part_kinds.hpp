#pragma once

#include "models/text/part.hpp"

#include <string_view>
#include <vector>

namespace pimdse::models::text {

/// Names of all kinds of parts with laws in C++; models/part_kinds.cpp lists them.
[[nodiscard]] std::vector<std::string_view> part_names();

/// nullptr: none has this name.
[[nodiscard]] PartKind const* part_kind(std::string_view name);

}  // namespace pimdse::models::text
