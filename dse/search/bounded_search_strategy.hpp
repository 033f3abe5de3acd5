#pragma once

#include "dse/search/strategy.hpp"

#include <cstdint>
#include <memory>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// The exact front of the cycle level: every point at analytic fidelity, then at cycle level those whose bounds nobody
/// covers, best first. The budget counts the latter. Throws InputError where the space does not suit: an architecture
/// without cycle level, more points than it lists, a shard. It throws MismatchError when told an answer that is better
/// than a bound that is said to be proved.
[[nodiscard]] std::unique_ptr<Strategy> make_bounded_search(space::Space const& space);

/// As make_bounded_search, without listing points: boxes that a member of the front covers are never looked into.
/// Coarse answers are not kept, but for what the certificate says. Throws InputError where there would be too many
/// boxes.
[[nodiscard]] std::unique_ptr<Strategy> make_box_search(space::Space const& space);

}  // namespace pimdse::dse::search
