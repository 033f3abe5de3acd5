#pragma once

#include "models/text/part.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace pimdse::models::text {

/// All kinds of parts with laws in C++; models/part_kinds.cpp lists them.
[[nodiscard]] std::span<PartKind const> part_kinds();

/// nullptr: none has this name.
[[nodiscard]] inline PartKind const* part_kind(std::string_view name) {
    auto const found = std::ranges::find(part_kinds(), name, &PartKind::name);
    return found == part_kinds().end() ? nullptr : &*found;
}

}  // namespace pimdse::models::text
