#pragma once

#include "dse/space/batch.hpp"
#include "dse/space/result.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::run {

/// What some tasks came to. Where every answer is kept, `kept` has one per task. Where only fronts are kept, they are
/// the run of ids from `first` on, `kept` has the failures and what nobody in the run dominates, and `left_out` counts
/// the rest.
struct ChunkResult {
    space::Task first;
    std::uint64_t points = 0;  ///< evaluated
    std::vector<space::Result> kept;
    std::vector<space::BlockSummary::Count> left_out;
};

/// What is worth keeping of these answers, by the space's search settings. Sifting parts and then their union keeps
/// what sifting everything at once keeps, so it does not matter how a block was cut.
[[nodiscard]] ChunkResult filter_dominated(space::Space const& space, std::vector<space::Result> results);

/// The block of ids a point lies in.
[[nodiscard]] constexpr std::uint64_t block_of(space::PointId point) {
    return index_of(point) / space::BlockSummary::ids;
}

/// What a block came to when these are all of its parts, by their first ids.
[[nodiscard]] space::BlockSummary joined(space::Space const& space, std::uint64_t block, models::Fidelity fidelity,
                                         std::map<std::uint64_t, space::BlockPart> parts);

}  // namespace pimdse::dse::run
