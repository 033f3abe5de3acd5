#include "dse/base/thread_count.hpp"

#include "sim/base/check.hpp"
#include "sim/base/number_in.hpp"

#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string_view>

namespace pimdse::dse::base {
namespace {

/// The number of threads in an environment variable; 0 if it is not set or empty. Throws InputError.
int threads_in(char const* variable) {
    char const* const text = std::getenv(variable);
    if (text == nullptr || *text == '\0') return 0;
    if (auto const value = sim::number_in<int>(text); value && *value > 0 && *value <= max_threads()) return *value;
    throw sim::InputError("{} must be a number of threads from 1 to {} (got '{}')", variable, max_threads(), text);
}

namespace fs = std::filesystem;

/// A mounted hierarchy of control groups that has CPU quotas.
struct Mount {
    bool second_version = false;
    std::string group;  ///< root of the mount: "/", or the group of a container
    fs::path point;
};

/// True if a comma-separated list contains the word.
bool has_word(std::string_view list, std::string_view word) {
    for (std::size_t from = 0; from <= list.size();) {
        auto const comma = std::min(list.find(',', from), list.size());
        if (list.substr(from, comma - from) == word) return true;
        from = comma + 1;
    }
    return false;
}

/// A line of mountinfo: "36 35 98:0 GROUP POINT OPTIONS ... - TYPE SOURCE OPTIONS".
std::optional<Mount> mount_in(std::string const& line) {
    auto const dash = line.find(" - ");
    if (dash == std::string::npos) return std::nullopt;
    std::istringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
    std::string skipped, group, point, type, options;
    before >> skipped >> skipped >> skipped >> group >> point;
    after >> type >> skipped >> options;
    if (type == "cgroup2") return Mount{true, group, point};
    if (type == "cgroup" && has_word(options, "cpu")) return Mount{false, group, point};
    return std::nullopt;
}

std::vector<Mount> mounts(fs::path const& root) {
    std::vector<Mount> found;
    std::ifstream file(root / "proc/self/mountinfo");
    for (std::string line; std::getline(file, line);) {
        if (auto mount = mount_in(line)) found.push_back(*std::move(mount));
    }
    if (found.empty()) found = {{true, "/", "/sys/fs/cgroup"}, {false, "/", "/sys/fs/cgroup/cpu"}};
    return found;
}

/// The control group of this process in a hierarchy, from lines "ID:CONTROLLERS:GROUP"; version 2 has "0::GROUP".
std::optional<std::string> own_group(fs::path const& root, bool second_version) {
    std::ifstream file(root / "proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        auto const first = line.find(':');
        auto const second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        auto const controllers = std::string_view(line).substr(first + 1, second - first - 1);
        if (second_version ? controllers.empty() : has_word(controllers, "cpu")) return line.substr(second + 1);
    }
    return std::nullopt;
}

/// Path of a group below the mount point; the mount point itself if the group lies outside the mounted hierarchy.
fs::path below(Mount const& mount, std::string const& group) {
    fs::path const path = fs::path(group).lexically_relative(mount.group);
    bool const outside = path.empty() || *path.begin() == "..";
    return outside ? fs::path(".") : path;
}

/// CPU quota of one group, from its files.
std::optional<double> quota_of(fs::path const& group, bool second_version) {
    double quota = 0.0, period = 0.0;
    bool read = false;
    if (second_version) {
        std::ifstream file(group / "cpu.max");  // "max 100000" without a quota
        read = static_cast<bool>(file >> quota >> period);
    } else {
        std::ifstream of_quota(group / "cpu.cfs_quota_us"), of_period(group / "cpu.cfs_period_us");  // -1: no quota
        read = of_quota >> quota && of_period >> period;
    }
    if (!read || quota <= 0.0 || period <= 0.0) return std::nullopt;
    return quota / period;
}

/// The first of these environment variables that is set, as a number; `default_value` if none is set.
int first_number(std::initializer_list<char const*> variables, int default_value) {
    for (char const* name : variables) {
        if (char const* text = std::getenv(name); text != nullptr) return std::atoi(text);
    }
    return default_value;
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

int max_threads() {
    constexpr int at_least = 64;
    return std::max(at_least, 4 * static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

int thread_count(int requested) {
    if (requested > 0) return requested;
    if (int const chosen = threads_in("PIMDSE_THREADS"); chosen > 0) return chosen;
    if (int const slurm = threads_in("SLURM_CPUS_PER_TASK"); slurm > 0) return slurm;
    return std::min(std::max(1, static_cast<int>(usable_cores().size())), cgroup_quota().value_or(max_threads()));
}

std::optional<int> cgroup_quota(fs::path const& root) {
    std::optional<double> min_cpus;
    for (auto const& mount : mounts(root)) {
        auto const group = own_group(root, mount.second_version);
        fs::path const top = root / mount.point.relative_path();
        fs::path here = top;
        auto const read_quota = [&] {
            if (auto const cpus = quota_of(here, mount.second_version))
                min_cpus = std::min(min_cpus.value_or(*cpus), *cpus);
        };
        read_quota();
        for (auto const& part : below(mount, group.value_or("/"))) {
            if (part == ".") continue;
            here /= part;
            read_quota();
        }
    }
    if (!min_cpus) return std::nullopt;
    return static_cast<int>(std::clamp(std::ceil(*min_cpus), 1.0, 1e6));
}

std::string machine_name() {
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
}

// Variables of Open MPI, PMIx (srun), PMI (MPICH, Intel MPI and their Hydra launcher) and MVAPICH2.
int rank_from_launcher() {
    return first_number({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"}, 0);
}

bool launched_by_mpi() {
    return first_number({"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"}, -1) != -1;
}

int ranks_from_launcher() {
    int const ranks = first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}, 0);
    if (ranks > 0 || !launched_by_mpi()) return ranks;
    return first_number({"SLURM_STEP_NUM_TASKS"}, 0);  // the only variable that srun --mpi=pmix sets
}

}  // namespace pimdse::dse::base
