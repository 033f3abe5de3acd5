#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace pimdse::dse {

class Space;

struct StrategyName {
    std::string_view name;
    std::string_view summary;
    std::unique_ptr<Strategy> (*make)(Space const&);  ///< nullptr: not built yet
};

/// Every strategy, one line each.
[[nodiscard]] std::span<StrategyName const> strategies();

/// Throws InputError if no strategy of this name is built.
void check_strategy(std::string_view name);

/// The strategy that the space's search settings name.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(Space const& space);

}  // namespace pimdse::dse
