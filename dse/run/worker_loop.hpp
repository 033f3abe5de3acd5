#pragma once

#include "dse/run/mpi.hpp"
#include "dse/run/work_settings.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::run {

/// A worker's connection to the coordinator, over MPI or TCP.
struct CoordinatorLink {
    std::function<void(Tag, space::Bytes)> send;
    std::function<std::optional<Message>()> receive;  ///< never waits
    std::function<bool()> gone;                       ///< true if the connection is known to be lost
    std::function<void()> silent;  ///< called if nothing has been received for too long; may be empty
};

/// Why a worker stopped.
enum class ExitReason : std::uint8_t { dismissed, disconnected };

/// Main loop of a worker: evaluates the chunks that it receives. Points in flight at the end are lost.
[[nodiscard]] ExitReason work_for(CoordinatorLink const& coordinator, space::Space const& space, WorkSettings settings);

/// The same for a rank above 0, until it is dismissed. Calls `give_up` if the coordinator or the launcher is lost.
void work_for_rank_0(Communicator& ranks, space::Space const& space, WorkSettings settings);

}  // namespace pimdse::dse::run
