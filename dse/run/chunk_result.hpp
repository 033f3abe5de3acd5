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

/// Results of some tasks. With `keep = "all"`, `kept` holds one result per task. With `keep = "front"`, the tasks are
/// the run of consecutive ids from `first` on, `kept` holds the defects and the points that no other point of the run
/// dominates, and `left_out` counts the others.
struct ChunkResult {
    space::Task first;
    std::uint64_t points = 0;  ///< number of evaluated tasks
    std::vector<space::Result> kept;
    std::vector<space::BlockSummary::Count> left_out;
};

/// The results to keep according to the space's search settings. Filtering the parts of a block and then their union
/// keeps the same results as filtering the whole block, so the result does not depend on how a block is divided.
[[nodiscard]] ChunkResult filter_dominated(space::Space const& space, std::vector<space::Result> results);

/// Number of the block of ids that contains the point.
[[nodiscard]] constexpr std::uint64_t block_of(space::PointId point) {
    return index_of(point) / space::BlockSummary::ids;
}

/// Summary of a block from all of its parts; the keys of `parts` are their first ids.
[[nodiscard]] space::BlockSummary joined(space::Space const& space, std::uint64_t block, models::Fidelity fidelity,
                                         std::map<std::uint64_t, space::BlockPart> parts);

}  // namespace pimdse::dse::run
