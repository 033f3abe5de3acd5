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

/// A worker's connection to the coordinator, by whatever medium.
struct CoordinatorLink {
    std::function<void(Tag, space::Bytes)> send;
    std::function<std::optional<Message>()> receive;  ///< never waits
    std::function<bool()> gone;                       ///< the coordinator has certainly gone
    std::function<void()> silent;                     ///< called when it has been silent for too long; may be empty
};

/// Why a worker stopped.
enum class ExitReason : std::uint8_t { dismissed, disconnected };

/// A worker's loop: evaluates the chunks that it is sent. Points that are under way at the end are lost.
[[nodiscard]] ExitReason work_for(CoordinatorLink const& coordinator, space::Space const& space, WorkSettings settings);

/// The same for a rank above 0, until it is dismissed. Gives up when the coordinator or the launcher has gone.
void work_for_rank_0(Communicator& ranks, space::Space const& space, WorkSettings settings);

}  // namespace pimdse::dse::run
