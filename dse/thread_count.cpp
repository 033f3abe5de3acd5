#include "dse/evaluation.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <string>
#include <string_view>

namespace pimdse::dse {
namespace {

int positive_number(char const* text) {
    if (text == nullptr) return 0;
    std::string_view const view(text);
    int value = 0;
    auto const [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    return error == std::errc{} && end == view.data() + view.size() && value > 0 ? value : 0;
}

int affinity() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

/// CPUs that the cgroup's quota allows, rounded up; a large number where there is no quota.
int cgroup_quota() {
    constexpr int no_limit = 1 << 20;
    std::ifstream v2("/sys/fs/cgroup/cpu.max");
    std::string quota;
    double period = 0.0;
    if (v2 >> quota >> period && quota != "max" && period > 0.0) return std::max(1, static_cast<int>(std::ceil(std::stod(quota) / period)));
    std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
    std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    double allowed = 0.0;
    if (v1_quota >> allowed && v1_period >> period && allowed > 0.0 && period > 0.0) return std::max(1, static_cast<int>(std::ceil(allowed / period)));
    return no_limit;
}

}  // namespace

int thread_count(int wanted) {
    if (wanted > 0) return wanted;
    if (int const chosen = positive_number(std::getenv("PIMDSE_THREADS")); chosen > 0) return chosen;
    if (int const slurm = positive_number(std::getenv("SLURM_CPUS_PER_TASK")); slurm > 0) return slurm;
    return std::min(affinity(), cgroup_quota());
}

}  // namespace pimdse::dse
