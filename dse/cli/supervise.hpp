#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// How an exploration is started again after a loss.
struct Supervision {
    std::vector<std::string> launcher;  ///< "mpirun -n 4" as words; empty: one process
    std::vector<std::string> words;     ///< of `pimdse explore`, without those about supervising
    std::filesystem::path output;
    int restarts = 5;                       ///< at most, without an answer in between
    std::optional<int> spare_nodes;         ///< how many may be lost; unless given: half of them
    std::optional<double> seconds_allowed;  ///< for all starts together
};

/// Starts the exploration, and again with --resume, waiting longer each time, while it dies and leaves a journal
/// behind; under Slurm on the nodes that still answer. Restarts are counted, and the pause grows, from the last start
/// that added answers. A signal to stop goes on to the job as SIGUSR1, which ends it resumable. Returns the last exit
/// code; 75 when the restarts are used up, too many nodes are lost or the program's file was replaced by another one.
[[nodiscard]] int supervise(Supervision const& how);

}  // namespace pimdse::dse::cli
