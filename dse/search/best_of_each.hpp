#pragma once

#include "dse/search/strategy.hpp"

#include <memory>

namespace pimdse::dse::search {

/// Values that differ by at most this share are equal: a metric and its bound are rounded in different orders.
inline constexpr double equal_share = 1e-9;

/// Strategy `best`: the best design of each machine in one objective. Points of a machine are visited in the order of
/// what is known of them before anything is served (space::known_before_serving); once that of the next one is worse
/// than a result, no other point of the machine is better, and none is requested. It finds all points that are equal to
/// the best one (up to `equal_share`); with SearchSettings::within also all that are that near to the best. Throws
/// InputError for several objectives, a budget or a shard.
[[nodiscard]] std::unique_ptr<Strategy> make_best_of_each(space::Space const& space);

}  // namespace pimdse::dse::search
