#pragma once

#include "dse/search/result_store.hpp"
#include "dse/space/space.hpp"

namespace pimdse::dse::cli {

/// Prints what an exploration would do: points, axes and points already evaluated. From a sample of at most 64 points
/// or two seconds it also estimates the time per point, the rules that points break, and an upper bound of the time on
/// `threads` threads (an upper bound, because points share simulated pieces).
void print_dry_run(space::Space const& space, search::ResultStore const& evaluated, int threads);

}  // namespace pimdse::dse::cli
