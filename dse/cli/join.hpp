#pragma once

#include "dse/cli/run_request.hpp"
#include "dse/space/result.hpp"
#include "dse/space/space.hpp"

namespace pimdse::dse::cli {

/// What a worker that joins must know of the run: its space, what is kept, what the answers are computed from, and how
/// long to wait.
[[nodiscard]] space::Bytes welcome_of(RunRequest const& request, space::Space const& space);

}  // namespace pimdse::dse::cli
