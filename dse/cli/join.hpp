#pragma once

#include "dse/cli/run_request.hpp"
#include "dse/space/result.hpp"
#include "dse/space/space.hpp"

namespace pimdse::dse::cli {

/// The message to a worker that joins: the space of the run, which points are kept, the hashes of the inputs, and the
/// time limits.
[[nodiscard]] space::Bytes welcome_of(RunRequest const& request, space::Space const& space);

}  // namespace pimdse::dse::cli
