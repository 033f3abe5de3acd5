#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// The settings of a supervised exploration, which is restarted after a loss.
struct Supervision {
    std::vector<std::string> launcher;  ///< "mpirun -n 4" as words; empty: one process
    std::vector<std::string> words;     ///< arguments of `pimdse explore`, without those of the supervisor
    std::filesystem::path output;
    int restarts = 5;                       ///< maximum number without a new result in between
    std::optional<int> spare_nodes;         ///< how many may be lost; unset: half of them
    std::optional<double> seconds_allowed;  ///< for all starts together
};

/// Starts the exploration, and restarts it with --resume as long as it dies and leaves a journal; under Slurm on the
/// nodes that still respond. The pause before a restart grows each time; pause and number of restarts start again after
/// a start that added results. A signal to stop is forwarded to the job as SIGUSR1, which ends it resumable. Returns
/// the last exit code; 75 if no restart is left, too many nodes are lost or the file of the program was replaced by
/// another program.
[[nodiscard]] int supervise(Supervision const& settings);

}  // namespace pimdse::dse::cli
