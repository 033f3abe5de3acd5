#pragma once

#include "dse/cli/run_request.hpp"
#include "dse/run/quarantine.hpp"
#include "dse/search/result_store.hpp"
#include "dse/store/journal.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <chrono>
#include <string>

namespace pimdse::dse::cli {

/// What earlier runs left behind under an output's name.
struct Restored {
    search::ResultStore store;
    run::Quarantine quarantine;
    std::vector<space::Result> warm{};  ///< of an earlier file of the same space, for the strategy
    std::vector<std::string> runs{};    ///< who made the sealed file, as Provenance::earlier has it
};

/// Throws UsageError if the output exists and is no result file: --force replaces those only.
void refuse_other_files(RunRequest const& request);

/// Throws UsageError if the output or its journal exists.
void refuse_existing(RunRequest const& request);

/// Takes the journal of the output and fills `remembered` from it and from the sealed file, or begins anew, as the
/// request says. Throws InputError when they belong to another space, StorageError when they are damaged or another run
/// holds them, UsageError when another run has begun or finished them since refuse_existing().
[[nodiscard]] store::journal::Journal open_journal(RunRequest const& request, space::Space const& space,
                                                   Restored& restored);

/// The same without taking or changing anything; for --dry-run.
[[nodiscard]] Restored peek_at_restored(RunRequest const& request, space::Space const& space);

/// "2026-01-31T23:59:59Z".
[[nodiscard]] inline std::string now_text() {
    return fmt::format("{:%FT%TZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace pimdse::dse::cli
