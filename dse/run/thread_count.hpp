#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace pimdse::dse::run {

/// How many threads a process uses: the first of `wanted` (if not 0), $PIMDSE_THREADS, $SLURM_CPUS_PER_TASK,
/// min(affinity, cgroup_quota()). TBB alone would see affinity only. Throws InputError for a variable that is no
/// number of threads.
[[nodiscard]] int thread_count(int wanted);

/// Numbers of the cores that this process may run on.
[[nodiscard]] std::vector<int> usable_cores();

/// No process is given more threads: four for each hardware thread, or 64 where that is more.
[[nodiscard]] int max_threads();

/// CPUs that this process may use by the quotas of its control group and of all groups above it, the smallest of them
/// rounded up; nothing where no group has a quota. Both versions of control groups count. `root` has `proc` and what
/// `proc/self/mountinfo` names.
[[nodiscard]] std::optional<int> cgroup_quota(std::filesystem::path const& root = "/");

}  // namespace pimdse::dse::run
