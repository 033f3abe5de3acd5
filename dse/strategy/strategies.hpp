#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

struct StrategyName {
    std::string_view name;
    std::string_view summary;
    std::unique_ptr<Strategy> (*make)(space::Space const&);  ///< nullptr: not built yet
};

/// Every strategy, one line each.
[[nodiscard]] std::span<StrategyName const> strategies();

/// Throws InputError if no strategy of this name is built.
void check_strategy(std::string_view name);

/// The strategy that the space's search settings name.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(space::Space const& space);

}  // namespace pimdse::dse::strategy
