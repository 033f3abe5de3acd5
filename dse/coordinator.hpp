#pragma once

#include "dse/mpi.hpp"
#include "dse/pool.hpp"

#include <memory>

namespace pimdse::dse {

class Space;

/// The pool of a job with several ranks: rank 0 hands out chunks, computes beside that, and tells answers in task order.
/// A worker that has been silent for `silence_seconds` ends the job with exit code 75, so that it can be resumed.
struct JobSettings {
    int threads = 1;
    double silence_seconds = 60.0;
};
[[nodiscard]] std::unique_ptr<Pool> make_coordinator(Communicator& ranks, Space const& space, JobSettings settings);

/// Tells every worker that the search is over and waits for each to agree; answers that still arrive are dropped. Ends the
/// job with exit code 75 when one does not agree in time.
void dismiss_workers(Communicator& ranks, double patience_seconds = 60.0);

/// A rank above 0: computes what it is sent until it is dismissed. Ends its process with exit code 75 when the coordinator
/// or the launcher has gone.
void serve(Communicator& ranks, Space const& space, JobSettings settings);

}  // namespace pimdse::dse
