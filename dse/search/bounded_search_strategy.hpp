#pragma once

#include "dse/search/strategy.hpp"

#include <memory>

namespace pimdse::dse::search {

/// Strategy `ladder` (exact multi-fidelity branch and bound, see BoundedSearch): evaluates every point at analytic
/// fidelity, then at cycle level, best first, the points whose bounds no member of the front dominates. The budget
/// counts only the cycle-level evaluations. Throws InputError if the space is not suitable: an architecture without
/// cycle level, more points than can be listed, a shard. tell() throws MismatchError for a result that is better than a
/// proved bound.
[[nodiscard]] std::unique_ptr<Strategy> make_bounded_search(space::Space const& space);

/// As make_bounded_search, without listing points: boxes that a member of the front dominates are never split. Analytic
/// results are not kept, except in the certificate. Throws InputError if there would be too many boxes.
[[nodiscard]] std::unique_ptr<Strategy> make_box_search(space::Space const& space);

}  // namespace pimdse::dse::search
