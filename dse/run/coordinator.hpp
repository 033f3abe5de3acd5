#pragma once

#include "dse/run/mpi.hpp"
#include "dse/run/pool.hpp"

#include <memory>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::run {

/// The pool of a job with several ranks: rank 0 hands out chunks and computes beside that.
/// A worker that has been silent for too long ends the job with exit code 75, so that it can be resumed; rank 0 gives
/// up when its launcher has gone.
[[nodiscard]] std::unique_ptr<Pool> make_coordinator(Communicator& ranks, space::Space const& space,
                                                     WorkSettings settings);

/// All cores of one process, by TBB; the calling thread hands out and takes in.
[[nodiscard]] std::unique_ptr<Pool> make_thread_pool(space::Space const& space, WorkSettings settings);

/// Tells every worker that the search is over and waits for each to agree; answers that still arrive are dropped. Ends
/// the job with this exit code (75: resumable) when one does not agree in time.
void dismiss_workers(Communicator& ranks, double patience_seconds = 60.0, int exit_code = 75);

}  // namespace pimdse::dse::run
