#include "dse/strategy/suitable.hpp"

#include "dse/space/space.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::strategy {

void refuse_too_many(space::Space const& space) {
    constexpr std::uint64_t most = 1 << 25;  // points: tens of bytes each
    auto const& search = space.search();
    std::uint64_t const planned = search.budget == 0 ? space.size() : std::min(search.budget, space.size());
    if (planned <= most) return;
    throw sim::InputError(
        fmt::format("strategy '{}' remembers every point it asks for, at most {}, and would ask for {}. Use a smaller "
                    "--budget, or strategy 'random'?",
                    search.strategy, most, planned));
}

void refuse_shards(space::Space const& space) {
    if (space.search().shards <= 1) return;
    throw sim::InputError(
        fmt::format("strategy '{}' cannot be cut into shards (what it asks for depends on every answer). Use ranks, or "
                    "strategy 'random'?",
                    space.search().strategy));
}

}  // namespace pimdse::dse::strategy
