#pragma once

#include "dse/run/mpi.hpp"
#include "dse/run/work_settings.hpp"

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::run {

/// Main loop of a rank above 0: evaluates the chunks that it receives until it is dismissed. Calls `give_up` if the
/// coordinator or the launcher is lost.
void work_for_rank_0(Communicator& ranks, space::Space const& space, WorkSettings const& settings);

}  // namespace pimdse::dse::run
