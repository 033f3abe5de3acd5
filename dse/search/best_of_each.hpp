#pragma once

#include "dse/search/strategy.hpp"

#include <memory>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// Strategy `best`: the best design of each machine in one objective. Points of a machine are visited in the order of
/// what is known of them before anything is served (space::known_before_serving); once that of the next one is no
/// better than a result, no other point of the machine is, and none is requested. Of results that are equally good it
/// finds the one with the smallest id; with SearchSettings::within also all that are that near to the best. Throws
/// InputError for several objectives, a budget or a shard.
[[nodiscard]] std::unique_ptr<Strategy> make_best_of_each(space::Space const& space);

}  // namespace pimdse::dse::search
