#pragma once

#include "dse/run/mpi.hpp"
#include "dse/run/pool.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::run {

/// Whom a worker works for, however they talk.
struct Superior {
    std::function<void(Tag, space::Bytes)> send;
    std::function<std::optional<Message>()> receive;  ///< never waits
    std::function<bool()> gone;                       ///< for certain
    std::function<void()> silent;                     ///< called when nothing has come for too long; may be empty
};

/// Why a worker stopped: it was told to, or nobody is there any more.
enum class Parting : std::uint8_t { dismissed, alone };

/// Computes what it is sent until either; points under way are then finished and lost.
[[nodiscard]] Parting serve(Superior const& superior, space::Space const& space, WorkSettings settings, int rank);

/// A rank above 0: computes what it is sent until it is dismissed. Gives up when the coordinator or the launcher has
/// gone.
void serve(Communicator& ranks, space::Space const& space, WorkSettings settings);

}  // namespace pimdse::dse::run
