#include "dse/search/strategy.hpp"

#include "dse/space/space.hpp"

#include <algorithm>

namespace pimdse::dse::search {

Positions shard_positions(space::Space const& space) {
    auto const& search = space.search();
    std::uint64_t const planned = search.budget == 0 ? space.size() : std::min(search.budget, space.size());
    auto const cut = [&](std::uint64_t part) {
        __extension__ using Wide = unsigned __int128;
        auto const at = static_cast<std::uint64_t>(static_cast<Wide>(planned) * part / search.shards);
        bool const inside_block =
            search.keep == space::Keep::front && part < search.shards;  // blocks are not split between shards
        return inside_block ? at - at % space::BlockSummary::ids : at;
    };
    return {cut(search.shard), cut(search.shard + 1)};
}

}  // namespace pimdse::dse::search
