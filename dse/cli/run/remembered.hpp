#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/cli/run/run_request.hpp"
#include "dse/job/quarantine.hpp"
#include "dse/store/journal/journal.hpp"

namespace pimdse::dse::cli::run {

/// What earlier runs left behind under an output's name.
struct Remembered {
    answers::ResultStore store;
    job::Quarantine quarantine;
    std::vector<task::Answer> warm{};  ///< of an earlier file of the same space, for the strategy
    std::vector<std::string> runs{};   ///< who made the sealed file, as Provenance::earlier has it
};

/// Throws UsageError if the output exists and is no result file: --force replaces those only.
void refuse_other_files(RunRequest const& request);

/// Throws UsageError if the output or its journal exists.
void refuse_existing(RunRequest const& request);

/// Takes the journal of the output and fills `remembered` from it and from the sealed file, or begins anew, as the
/// request says. Throws InputError when they belong to another space, StorageError when they are damaged or another run
/// holds them, UsageError when another run has begun or finished them since refuse_existing().
[[nodiscard]] store::journal::Journal open_journal(RunRequest const& request, space::Space const& space,
                                                   Remembered& remembered);

/// The same without taking or changing anything; for --dry-run.
[[nodiscard]] Remembered look_at_remembered(RunRequest const& request, space::Space const& space);

}  // namespace pimdse::dse::cli::run
