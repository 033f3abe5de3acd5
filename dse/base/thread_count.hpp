#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::base {

/// Number of threads that a process uses: the first that is set of `requested` (if not 0), $PIMDSE_THREADS,
/// $SLURM_CPUS_PER_TASK, and min(affinity, cgroup_quota()). TBB by itself considers the affinity only. Throws
/// InputError if a variable is not a valid number of threads.
[[nodiscard]] int thread_count(int requested);

/// Numbers of the cores on which this process may run.
[[nodiscard]] std::vector<int> usable_cores();

/// Largest accepted number of threads of a process: four per hardware thread, but at least 64.
[[nodiscard]] int max_threads();

/// CPUs that this process may use: the smallest quota of its control group and of all groups above it, rounded up;
/// nullopt if no group has a quota. Reads control groups of versions 1 and 2. `root` is the directory that contains
/// `proc` and the mount points in `proc/self/mountinfo`.
[[nodiscard]] std::optional<int> cgroup_quota(std::filesystem::path const& root = "/");

/// Name of this host.
[[nodiscard]] std::string machine_name();

// What a launcher of ranks (mpirun, srun) says in the environment, with and without MPI in the program.

/// True if a launcher (mpirun, srun) started this process as one of several ranks.
[[nodiscard]] bool launched_by_mpi();

/// Rank of this process from the environment set by the launcher, available before MPI is started; 0 without a
/// launcher.
[[nodiscard]] int rank_from_launcher();

/// Number of ranks from the environment set by the launcher; 0 without a launcher, or if it is not set there.
[[nodiscard]] int ranks_from_launcher();

}  // namespace pimdse::dse::base
