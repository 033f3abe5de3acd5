#include "dse/evaluate/thread_count.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace pimdse::dse::evaluate {
namespace {

/// What an environment variable says; 0 where it is not set or empty. Throws InputError.
int threads_in(char const* variable) {
    char const* const text = std::getenv(variable);
    if (text == nullptr || *text == '\0') return 0;
    std::string_view const view(text);
    int value = 0;
    auto const [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    bool const whole = error == std::errc{} && end == view.data() + view.size();
    if (whole && value > 0 && value <= most_threads()) return value;
    throw sim::InputError(
        fmt::format("{} is '{}', which is no number of threads (1 to {})", variable, text, most_threads()));
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
    if (v2 >> quota >> period && quota != "max" && period > 0.0)
        return std::max(1, static_cast<int>(std::ceil(std::stod(quota) / period)));
    std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
    std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    double allowed = 0.0;
    if (v1_quota >> allowed && v1_period >> period && allowed > 0.0 && period > 0.0)
        return std::max(1, static_cast<int>(std::ceil(allowed / period)));
    return no_limit;
}

}  // namespace

int most_threads() {
    constexpr int at_least = 64;
    return std::max(at_least, 4 * static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

int thread_count(int wanted) {
    if (wanted > 0) return wanted;
    if (int const chosen = threads_in("PIMDSE_THREADS"); chosen > 0) return chosen;
    if (int const slurm = threads_in("SLURM_CPUS_PER_TASK"); slurm > 0) return slurm;
    return std::min(affinity(), cgroup_quota());
}

}  // namespace pimdse::dse::evaluate
