#pragma once

#include "dse/cli/coordinate.hpp"
#include "dse/cli/progress.hpp"
#include "dse/cli/run_request.hpp"
#include "dse/run/work_settings.hpp"
#include "dse/search/result_store.hpp"
#include "dse/search/robust_front.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <optional>
#include <stop_token>

namespace pimdse::dse::cli {

/// What [uncertain] of the space and the flags ask for; nullopt if nothing. Throws InputError, and UsageError if the
/// search does not keep every result.
[[nodiscard]] std::optional<uncertain::Uncertainty> uncertainty_of(RunRequest const& request,
                                                                   space::Space const& space);

/// The work of rank 0 after the exploration: the front under draws of the uncertain constants. The evaluations are
/// handed out to the threads and ranks of the job and journalled in FILE.h5.NAME.journal, so that a resumed run
/// continues them. If the output has this result already, it is read. nullopt if the run was stopped.
[[nodiscard]] std::optional<search::RobustFront> robust_front(RunRequest const& request, space::Space const& space,
                                                              search::ResultStore const& store,
                                                              uncertain::Uncertainty const& uncertainty,
                                                              run::WorkSettings const& settings, Job& job,
                                                              std::stop_token const& stop, ProgressLine& line);

/// Removes the journals of passes, after the result is in the file.
void remove_pass_journals(RunRequest const& request);

/// The work of the other ranks: evaluates the passes that rank 0 announces, until it dismisses them.
void work_on_passes(RunRequest const& request, space::Space const& space, run::Communicator& ranks);

}  // namespace pimdse::dse::cli
