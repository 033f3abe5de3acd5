#include "dse/run/front_blocks.hpp"

#include "dse/space/space.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <vector>

namespace pimdse::dse::run {

FrontBlocks::FrontBlocks(space::Space const& space, store::journal::Journal& journal, search::ResultStore& store)
    : space_(space), journal_(journal), store_(store), plan_(search::shard_positions(space)) {}

void FrontBlocks::restore() {
    auto const fidelity = space_.search().fidelity;
    for (auto const& [key, points] : store_.blocks()) {
        std::uint64_t const planned = planned_in(key.first);
        if (key.second == fidelity && planned > 0 && points != planned) refuse(key.first, points);
    }
    std::vector<Key> open;
    for (auto const& [key, block] : store_.open_blocks()) {
        if (key.second != fidelity) continue;
        auto const& [last, part] = *block.parts.rbegin();
        if (block.parts.begin()->first < plan_.first || last + part.points > plan_.last)
            refuse(key.first, block.points);
        open.push_back(key);
    }
    for (auto const& key : open)
        join_if_whole(key);  // the earlier run died after the last part, before it wrote the block
}

void FrontBlocks::keep(ChunkResult result) {
    space::BlockPart part{index_of(result.first.point), result.points, result.first.fidelity, std::move(result.kept),
                          std::move(result.left_out)};
    Key const key{part.first / space::BlockSummary::ids, part.fidelity};
    bool const whole = part.points == planned_in(key.first);  // the record of the block then contains everything
    if (!whole) journal_.append(part);
    store_.add(std::move(part));
    join_if_whole(key);
}

void FrontBlocks::join_if_whole(Key key) {
    auto const& open = store_.open_blocks().at(key);
    if (open.points != planned_in(key.first)) return;
    auto const summary = run::joined(space_, key.first, key.second, open.parts);
    journal_.append(summary);
    store_.insert(summary);
}

/// Number of planned points in the block; the plan is a run of consecutive ids.
std::uint64_t FrontBlocks::planned_in(std::uint64_t block) const {
    std::uint64_t const first = block * space::BlockSummary::ids;
    std::uint64_t const from = std::max(plan_.first, first);
    std::uint64_t const to = std::min(plan_.last, first + space::BlockSummary::ids);
    return from < to ? to - from : 0;
}

void FrontBlocks::refuse(std::uint64_t block, std::uint64_t points) const {
    throw sim::InputError(
        fmt::format("block {} of ids was explored with {} points and has {} points now, because --budget or --shard "
                    "differs: use the same value, or another output file",
                    block, points, planned_in(block)));
}

}  // namespace pimdse::dse::run
