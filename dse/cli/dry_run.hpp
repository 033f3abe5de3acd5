#pragma once

#include "dse/search/result_store.hpp"
#include "dse/space/space.hpp"

namespace pimdse::dse::cli {

/// Says what an exploration would do: points, axes, what is answered already and, from a sample of at most 64 points or
/// two seconds, what a point costs, how long all of them would take at most on `threads` threads (points share
/// simulated pieces) and which rules they would break.
void print_dry_run(space::Space const& space, search::ResultStore const& evaluated, int threads);

}  // namespace pimdse::dse::cli
