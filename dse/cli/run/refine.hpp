#pragma once

#include "dse/cli/options.hpp"
#include "dse/cli/run/run_request.hpp"

#include <cstdint>

namespace pimdse::dse::cli::run {

/// The flags of `explore --refine`.
void add_refine_flags(po::options_description& flags);

/// With --refine: makes the request one that evaluates points of a file (its front, or those that meet --where) at a
/// finer fidelity. Throws UsageError and InputError.
void refine(po::variables_map const& values, RunRequest& request);

}  // namespace pimdse::dse::cli::run
