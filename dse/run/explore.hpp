#pragma once

#include "dse/run/dispatcher.hpp"
#include "dse/run/isolation.hpp"
#include "dse/run/transport.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/result_store.hpp"
#include "dse/search/strategy.hpp"
#include "dse/space/space.hpp"
#include "dse/store/journal.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace pimdse::dse::run {

/// Status of an exploration, for a progress line.
struct Progress {
    std::uint64_t planned = 0;    ///< estimate by the strategy of the points that it requests in all
    std::uint64_t told = 0;       ///< points with a result, including those restored from an earlier run
    std::uint64_t evaluated = 0;  ///< of these, evaluated by this run
    std::uint64_t infeasible = 0;
    std::uint64_t failed = 0;
    std::size_t front = 0;                     ///< members of the front of the first `front_of` results
    std::uint64_t front_of = 0;                ///< results from which this front was computed; normally all
    std::uint64_t kept = 0;                    ///< results that are kept
    double seconds = 0.0;                      ///< since this run began
    std::optional<search::TimeLeft> left;      ///< if the strategy knows; else as long as recent points take
    std::optional<search::Standing> standing;  ///< of a search that prunes points by bounds
};

struct Explored {
    Progress progress;
    bool complete = false;  ///< false: stopped early; all results until then are kept
};

struct ExploreOptions {
    std::stop_token stop;  ///< when requested, no more points are started; those in flight are finished and kept
    /// Called a few times a second, by the thread that called explore(); may be empty.
    std::function<void(Progress const&)> watch;
    Quarantine quarantine;          ///< points that are evaluated in a process of their own
    Dispatcher::Settings dispatch;  ///< `workers` is set by the transports
};

/// The main loop: asks the strategy for points, submits them to workers, stores the results and tells them to the
/// strategy. Results go to the journal and the store as they arrive, and to an adaptive strategy in request order. With
/// `keep = "front"`, the parts of a block of ids are kept until the block is complete. Worker numbers follow the order
/// of the transports. Throws StorageError if a result cannot be stored, and InputError if the strategy does not fit the
/// results of an earlier run.
[[nodiscard]] Explored explore(space::Space const& space, search::Strategy& strategy,
                               std::vector<Transport*> const& transports, store::journal::Journal& journal,
                               search::ResultStore& store, ExploreOptions const& options);

/// The same with the strategy that the space names.
[[nodiscard]] Explored explore(space::Space const& space, std::vector<Transport*> const& transports,
                               store::journal::Journal& journal, search::ResultStore& store,
                               ExploreOptions const& options);

}  // namespace pimdse::dse::run
