#pragma once

#include "dse/cli/run/run_request.hpp"
#include "dse/space/space.hpp"
#include "dse/task/answer.hpp"

#include <vector>

namespace pimdse::dse::cli::run {

/// The answers, at the fidelity of the search, of the earlier file that a request begins with; none where it names
/// none. Throws InputError where the file is of another space, MismatchError where its answers were computed from other
/// inputs, UsageError where the strategy has no use for it.
[[nodiscard]] std::vector<task::Answer> warm_answers(RunRequest const& request, space::Space const& space);

}  // namespace pimdse::dse::cli::run
