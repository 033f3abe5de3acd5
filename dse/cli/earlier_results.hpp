#pragma once

#include "dse/cli/run.hpp"
#include "dse/run/isolation.hpp"
#include "dse/search/result_store.hpp"
#include "dse/search/strategy.hpp"
#include "dse/store/journal.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace pimdse::dse::cli {

/// The results that earlier runs left under the name of an output.
struct Restored {
    search::ResultStore store;
    run::Quarantine quarantine;
    std::uint64_t evaluated_longer = 0;  ///< quarantined points that a shorter --point-timeout ended
    std::vector<space::Result> warm{};   ///< results of an earlier file of the same space, for the strategy
    std::vector<std::string> runs{};     ///< the runs that wrote the sealed file, in the form of Provenance::earlier
    std::unique_ptr<search::Strategy> search{};  ///< of this run; nullptr if a client of `serve` chooses the points
};

/// Throws UsageError if the output exists and is not a result file: --force replaces only result files.
void refuse_other_files(RunRequest const& request);

/// Throws UsageError if the output or its journal exists.
void refuse_existing(RunRequest const& request);

/// Makes the search of the run, and opens and locks the journal of the output. As the request demands, fills `restored`
/// from the journal and the sealed file, or starts empty. Throws InputError if they belong to another space,
/// StorageError if they are damaged or held by another run, and UsageError if another run has created them since
/// refuse_existing().
[[nodiscard]] store::journal::Journal open_journal(RunRequest const& request, space::Space const& space,
                                                   Restored& restored);

/// Reads the same results without locking or changing anything; for --dry-run.
[[nodiscard]] Restored peek_at_restored(RunRequest const& request, space::Space const& space);

/// The current time (UTC) as "2026-01-31T23:59:59Z".
[[nodiscard]] inline std::string now_text() {
    return fmt::format("{:%FT%TZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace pimdse::dse::cli
