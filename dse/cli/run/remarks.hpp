#pragma once

#include "dse/space/space.hpp"

namespace pimdse::dse::cli::run {

/// On stderr, what is no mistake in a space and its search and perhaps not meant: ranges that do not meet their ends, a
/// sweep whose budget ends in a corner, machines that are too small to be met by points drawn at random.
void print_remarks(space::Space const& space);

}  // namespace pimdse::dse::cli::run
