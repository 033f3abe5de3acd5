#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// How an exploration is started again after a loss.
struct Supervision {
    std::vector<std::string> launcher;          ///< "mpirun -n 4" as words; empty: one process
    std::vector<std::string> words;             ///< of `pimdse explore`, without those about supervising
    std::filesystem::path output;
    int restarts = 5;
    std::optional<double> seconds_allowed;      ///< for all starts together
};

/// Starts the exploration, and again with --resume, waiting longer each time, while it dies and leaves a journal behind. A signal to
/// stop goes on to the job as SIGUSR1, which ends it resumable. Returns the last exit code; 75 when the restarts are used up.
[[nodiscard]] int supervise(Supervision const& how);

}  // namespace pimdse::dse::cli
