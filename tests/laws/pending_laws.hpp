#pragma once

#include <array>
#include <string_view>

namespace pimdse::laws {

/// A law that an architecture is known to break, and why that is still so. A row whose law holds fails its test.
struct PendingLaw {
    std::string_view law, architecture, reason;
};

inline constexpr std::array pending_laws{
    PendingLaw{"a larger request", "umdam", "tilings and units are chosen by their time, not by their energy"},
};

inline PendingLaw const* find_pending(std::string_view law, std::string_view architecture) {
    for (auto const& row : pending_laws) {
        if (row.law == law && row.architecture == architecture) return &row;
    }
    return nullptr;
}

}  // namespace pimdse::laws
