#pragma once

#include "dse/ladder/lows.hpp"
#include "dse/task/certificate.hpp"
#include "models/contract/cycle_key.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::ladder {

/// What a ladder knows of a closed point.
struct Closed {
    std::function<bool(Lows::Item, Values const& corner)> is_covered;
    std::function<std::optional<models::CycleKey>(Lows::Item)> unanswered_key;  ///< none: its key was answered
};

/// How many more answers it would have taken, had lows that are not exact been lower by 1, 2, 5 and 10 %: closed points
/// that nobody covers then, one per cycle key.
[[nodiscard]] std::vector<task::Certificate::Price> prices_of(Lows const& lows, std::span<Lows::Item const> closed,
                                                              Closed const& known);

}  // namespace pimdse::dse::ladder
