#pragma once

#include "dse/evaluate/pool.hpp"
#include "dse/job/mpi.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace pimdse::dse {

class Space;

/// The pool of a job with several ranks: rank 0 hands out chunks and computes beside that.
/// A worker that has been silent for too long ends the job with exit code 75, so that it can be resumed; rank 0 gives
/// up when its launcher has gone.
[[nodiscard]] std::unique_ptr<Pool> make_coordinator(Communicator& ranks, Space const& space, WorkSettings settings);

/// Tells every worker that the search is over and waits for each to agree; answers that still arrive are dropped. Ends
/// the job with this exit code (75: resumable) when one does not agree in time.
void dismiss_workers(Communicator& ranks, double patience_seconds = 60.0, int exit_code = 75);

/// Whom a worker works for, however they talk.
struct Superior {
    std::function<void(Tag, Bytes)> send;
    std::function<std::optional<Message>()> receive;  ///< never waits
    std::function<bool()> gone;                       ///< for certain
    std::function<void()> silent;                     ///< called when nothing has come for too long; may be empty
};

/// Why a worker stopped: it was told to, or nobody is there any more.
enum class Parting : std::uint8_t { dismissed, alone };

/// Computes what it is sent until either; points under way are then finished and lost.
[[nodiscard]] Parting serve(Superior const& superior, Space const& space, WorkSettings settings, int rank);

/// A rank above 0: computes what it is sent until it is dismissed. Gives up when the coordinator or the launcher has
/// gone.
void serve(Communicator& ranks, Space const& space, WorkSettings settings);

}  // namespace pimdse::dse
