#pragma once

#include "dse/run/chunk_result.hpp"
#include "dse/search/result_store.hpp"
#include "dse/search/strategy.hpp"
#include "dse/store/journal.hpp"

#include <cstdint>
#include <utility>

namespace pimdse::dse::run {

/// Storage of results with `keep = "front"`: as parts of blocks of ids until a block is complete, then as the front of
/// the block.
class FrontBlocks {
  public:
    FrontBlocks(space::Space const& space, store::journal::Journal& journal, search::ResultStore& store);

    /// Completes the blocks of an earlier run of which all parts are present. Throws InputError if the number of points
    /// in a block differs because of another budget or shard.
    void restore();
    /// Writes the result to the journal and the store.
    void keep(ChunkResult result);

  private:
    using Key = std::pair<std::uint64_t, models::Fidelity>;
    void join_if_whole(Key key);
    [[nodiscard]] std::uint64_t planned_in(std::uint64_t block) const;
    [[noreturn]] void refuse(std::uint64_t block, std::uint64_t points) const;

    space::Space const& space_;
    store::journal::Journal& journal_;
    search::ResultStore& store_;
    search::Positions plan_;
};

}  // namespace pimdse::dse::run
