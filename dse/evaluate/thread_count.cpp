#include "dse/evaluate/thread_count.hpp"

#include "dse/evaluate/cgroup_quota.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <cstdlib>
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

}  // namespace

std::vector<int> usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> cores;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(core, &set)) cores.push_back(core);
    }
    return cores;
}

int most_threads() {
    constexpr int at_least = 64;
    return std::max(at_least, 4 * static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

int thread_count(int wanted) {
    if (wanted > 0) return wanted;
    if (int const chosen = threads_in("PIMDSE_THREADS"); chosen > 0) return chosen;
    if (int const slurm = threads_in("SLURM_CPUS_PER_TASK"); slurm > 0) return slurm;
    return std::min(std::max(1, static_cast<int>(usable_cores().size())), cgroup_quota().value_or(most_threads()));
}

}  // namespace pimdse::dse::evaluate
