#pragma once

#include "dse/cli/run/run_request.hpp"
#include "dse/space/space.hpp"
#include "dse/task/answer_codec.hpp"

namespace pimdse::dse::cli::run {

/// What a worker that joins must know of the run: its space, what is kept, what the answers are computed from, and how
/// long to wait.
[[nodiscard]] task::Bytes welcome_of(RunRequest const& request, space::Space const& space);

}  // namespace pimdse::dse::cli::run
