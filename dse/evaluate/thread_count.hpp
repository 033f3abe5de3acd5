#pragma once

#include <vector>

namespace pimdse::dse::evaluate {

/// How many threads a process uses: the first of `wanted` (if not 0), $PIMDSE_THREADS, $SLURM_CPUS_PER_TASK,
/// min(affinity, cgroup_quota()). TBB alone would see affinity only. Throws InputError for a variable that is no
/// number of threads.
[[nodiscard]] int thread_count(int wanted);

/// Numbers of the cores that this process may run on.
[[nodiscard]] std::vector<int> usable_cores();

/// No process is given more threads: four for each hardware thread, or 64 where that is more.
[[nodiscard]] int most_threads();

}  // namespace pimdse::dse::evaluate
