#pragma once

#include "dse/run/pool.hpp"
#include "dse/run/quarantine.hpp"
#include "dse/search/archive.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/space.hpp"
#include "dse/store/journal.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

namespace pimdse::dse::search {
class Strategy;
}  // namespace pimdse::dse::search

namespace pimdse::dse::run {

/// Where an exploration stands; for a progress line.
struct Progress {
    std::uint64_t planned = 0;    ///< points the strategy will ask for, as far as it knows
    std::uint64_t told = 0;       ///< answers it has been told, remembered ones included
    std::uint64_t evaluated = 0;  ///< of these, evaluated by this run
    std::uint64_t infeasible = 0;
    std::uint64_t failed = 0;
    std::size_t front = 0;                     ///< members of the front of `front_of` answers
    std::uint64_t front_of = 0;                ///< answers the front was looked at of, all of them as a rule
    std::uint64_t kept = 0;                    ///< answers that are kept
    double seconds = 0.0;                      ///< since this run began
    std::optional<search::Standing> standing;  ///< of a search that closes points by bounds
};

/// What an exploration came to.
struct Explored {
    Progress progress;
    bool complete = false;  ///< false: stopped early; what was answered is kept
};

/// The loop: ask, evaluate what is not remembered, keep durably, tell. Answers go to the journal and the store as they
/// arrive and are told to the strategy in the order asked; `watch` is called now and then from the calling thread.
/// What is quarantined is evaluated apart from the others. Where only fronts are kept, a block of ids is joined when
/// all of it is there; until then its parts are kept. Throws StorageError when an answer cannot be kept, InputError
/// where the strategy does not suit what is kept.
[[nodiscard]] Explored explore(space::Space const& space, Pool& pool, store::journal::Journal& journal,
                               search::ResultStore& store, std::stop_token stop,
                               std::function<void(Progress const&)> const& watch = {},
                               Quarantine const& quarantine = {});

/// The same with a strategy of the caller's.
[[nodiscard]] Explored explore(space::Space const& space, search::Strategy& strategy, Pool& pool,
                               store::journal::Journal& journal, search::ResultStore& store, std::stop_token stop,
                               std::function<void(Progress const&)> const& watch = {},
                               Quarantine const& quarantine = {});

}  // namespace pimdse::dse::run
