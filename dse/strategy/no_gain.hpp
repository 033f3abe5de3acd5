#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

/// Stops a strategy once so many answers in a row, in the order told, have added nothing to the hypervolume: none of
/// them was outside of what earlier ones cover, up to whatever reference point. Throws InputError where the strategy
/// ends by itself, or fronts only are kept.
[[nodiscard]] std::unique_ptr<Strategy> stopping_without_gain(std::unique_ptr<Strategy> strategy,
                                                              space::Space const& space);

}  // namespace pimdse::dse::strategy
