#pragma once

#include <cstdint>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

/// The positions [first, last) of a plan of min(budget, size of the space) points that the search's shard covers.
struct Positions {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};
[[nodiscard]] Positions shard_positions(space::Space const& space);

}  // namespace pimdse::dse::strategy
