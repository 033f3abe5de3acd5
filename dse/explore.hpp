#pragma once

#include "dse/archive.hpp"
#include "dse/journal.hpp"
#include "dse/pool.hpp"
#include "dse/result_store.hpp"
#include "dse/space.hpp"
#include "dse/suspects.hpp"

#include <chrono>
#include <functional>
#include <stop_token>

namespace pimdse::dse {

/// Where an exploration stands; for a progress line.
struct Progress {
    std::uint64_t planned = 0;      ///< points the strategy will ask for, as far as it knows
    std::uint64_t told = 0;         ///< answers it has been told, remembered ones included
    std::uint64_t evaluated = 0;    ///< of these, evaluated by this run
    std::uint64_t infeasible = 0;
    std::uint64_t failed = 0;
    std::size_t front = 0;          ///< members of the front so far
    double seconds = 0.0;           ///< since this run began
};

/// What an exploration came to.
struct Explored {
    Progress progress;
    bool complete = false;          ///< false: stopped early; what was answered is kept
};

/// The loop: ask, evaluate what is not remembered, keep durably, tell. Answers go to the journal and the store in task
/// order; `watch` is called now and then from the thread that delivers. Suspects are evaluated apart from the others. Where
/// only fronts are kept, a block of ids is kept when all of it is there; one that a stop cut is evaluated again.
/// Throws StorageError when an answer cannot be kept, InputError where the strategy does not suit what is kept.
[[nodiscard]] Explored explore(Space const& space, Pool& pool, Journal& journal, ResultStore& store, std::stop_token stop,
                               std::function<void(Progress const&)> const& watch = {}, Suspects const& suspects = {});

}  // namespace pimdse::dse
