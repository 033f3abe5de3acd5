#pragma once

#include "dse/strategy/strategy.hpp"

#include <cstdint>
#include <memory>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

/// How many points a search at cycle level is asked ahead of what it was told.
inline constexpr std::uint64_t climb_lag = 256;

/// True if whole boxes of points are worth looking at before points are: there are many, and lows have a declared
/// direction along enough parameters.
[[nodiscard]] bool has_worthwhile_boxes(space::Space const& space);

/// As make_ladder, without listing points: boxes that a member of the front covers are never looked into. Coarse
/// answers are not kept, but for what the certificate says. Throws InputError where there would be too many boxes.
[[nodiscard]] std::unique_ptr<Strategy> make_box_ladder(space::Space const& space);

}  // namespace pimdse::dse::strategy
