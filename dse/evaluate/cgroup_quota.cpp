#include "dse/evaluate/cgroup_quota.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::evaluate {
namespace {

namespace fs = std::filesystem;

/// A hierarchy of groups that has quotas of CPU time.
struct Mount {
    bool second_version = false;
    std::string group;  ///< what is mounted: "/", or the group of a container
    fs::path point;
};

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

/// The group of this process in that hierarchy, from lines "ID:CONTROLLERS:GROUP"; version 2 has "0::GROUP".
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

/// A group as a path below the mount point; the mount point itself where the group lies outside of what is mounted.
fs::path below(Mount const& mount, std::string const& group) {
    fs::path const path = fs::path(group).lexically_relative(mount.group);
    bool const outside = path.empty() || *path.begin() == "..";
    return outside ? fs::path(".") : path;
}

/// CPUs by the files of one group.
std::optional<double> quota_of(fs::path const& group, bool second_version) {
    double quota = 0.0, period = 0.0;
    bool read = false;
    if (second_version) {
        std::ifstream file(group / "cpu.max");  // "max 100000" where there is none
        read = static_cast<bool>(file >> quota >> period);
    } else {
        std::ifstream of_quota(group / "cpu.cfs_quota_us"), of_period(group / "cpu.cfs_period_us");  // -1 for none
        read = of_quota >> quota && of_period >> period;
    }
    if (!read || quota <= 0.0 || period <= 0.0) return std::nullopt;
    return quota / period;
}

}  // namespace

std::optional<int> cgroup_quota(fs::path const& root) {
    std::optional<double> smallest;
    for (auto const& mount : mounts(root)) {
        auto const group = own_group(root, mount.second_version);
        fs::path const top = root / mount.point.relative_path();
        fs::path here = top;
        auto const see = [&] {
            if (auto const cpus = quota_of(here, mount.second_version))
                smallest = std::min(smallest.value_or(*cpus), *cpus);
        };
        see();
        for (auto const& part : below(mount, group.value_or("/"))) {
            if (part == ".") continue;
            here /= part;
            see();
        }
    }
    if (!smallest) return std::nullopt;
    return static_cast<int>(std::clamp(std::ceil(*smallest), 1.0, 1e6));
}

}  // namespace pimdse::dse::evaluate
