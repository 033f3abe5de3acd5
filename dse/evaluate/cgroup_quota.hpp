#pragma once

#include <filesystem>
#include <optional>

namespace pimdse::dse::evaluate {

/// CPUs that this process may use by the quotas of its control group and of all groups above it, the smallest of them
/// rounded up; nothing where no group has a quota. Both versions of control groups count. `root` has `proc` and what
/// `proc/self/mountinfo` names.
[[nodiscard]] std::optional<int> cgroup_quota(std::filesystem::path const& root = "/");

}  // namespace pimdse::dse::evaluate
