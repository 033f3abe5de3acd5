#include "dse/base/thread_count.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <fstream>
#include <string>

namespace pimdse::dse::base::cgroup_quota_test {
namespace {

namespace fs = std::filesystem;

constexpr char const* mount_2 = "30 24 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr char const* mount_1 =
    "33 24 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "34 24 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";

class CgroupQuota : public ::testing::Test {
  protected:
    void SetUp() override { fs::create_directories(root); }
    void TearDown() override { fs::remove_all(root); }

    void write(std::string const& name, std::string const& text) const {
        fs::create_directories((root / name).parent_path());
        std::ofstream(root / name) << text;
    }
    /// A process in this group, with these mounts.
    void process(std::string const& group, std::string const& mounts) const {
        write("proc/self/cgroup", group + "\n");
        write("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + mounts);
    }

    fs::path root = fs::temp_directory_path() / ("pimdse-cgroup-" + std::to_string(::getpid()));
};

TEST_F(CgroupQuota, is_absent_where_no_group_has_one) {
    EXPECT_EQ(cgroup_quota(root), std::nullopt) << "no files at all";
    process("0::/user.slice", mount_2);
    write("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
    EXPECT_EQ(cgroup_quota(root), std::nullopt);
}

TEST_F(CgroupQuota, is_that_of_the_own_group_of_version_2) {
    process("0::/system.slice/run-7.scope", mount_2);
    write("sys/fs/cgroup/system.slice/cpu.max", "max 100000\n");
    write("sys/fs/cgroup/system.slice/run-7.scope/cpu.max", "250000 100000\n");
    write("sys/fs/cgroup/system.slice/other.scope/cpu.max", "100000 100000\n");
    EXPECT_EQ(cgroup_quota(root), 3) << "2.5, rounded up; that of another group does not count";
}

TEST_F(CgroupQuota, is_the_smallest_along_the_path) {
    process("0::/slurm/job_1/step_0", mount_2);
    write("sys/fs/cgroup/slurm/cpu.max", "400000 100000\n");
    write("sys/fs/cgroup/slurm/job_1/cpu.max", "100000 50000\n");
    write("sys/fs/cgroup/slurm/job_1/step_0/cpu.max", "800000 100000\n");
    EXPECT_EQ(cgroup_quota(root), 2);
    write("sys/fs/cgroup/cpu.max", "1000 100000\n");
    EXPECT_EQ(cgroup_quota(root), 1) << "never none";
}

TEST_F(CgroupQuota, is_found_in_a_container_that_sees_its_own_group_as_the_root) {
    process("0::/", mount_2);
    write("sys/fs/cgroup/cpu.max", "300000 100000\n");
    EXPECT_EQ(cgroup_quota(root), 3);
    process("0::/../../outside", mount_2);
    EXPECT_EQ(cgroup_quota(root), 3) << "the group lies outside of what is mounted";
}

TEST_F(CgroupQuota, is_read_of_version_1_below_the_group_that_is_mounted) {
    process("5:cpu,cpuacct:/docker/abc/inner\n4:cpuset:/\n0::/", mount_1);
    write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cgroup_quota(root), std::nullopt);
    write("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "600000\n");
    write("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cgroup_quota(root), 6);
    process("5:cpu,cpuacct:/docker/abc/inner", "33 24 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
    write("sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "150000\n");
    write("sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cgroup_quota(root), 2) << "the mount begins at the container's group";
}

TEST_F(CgroupQuota, takes_both_versions_where_both_are_there) {
    process("5:cpu:/a\n0::/b", std::string(mount_2) + "33 24 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
    write("sys/fs/cgroup/b/cpu.max", "500000 100000\n");
    EXPECT_EQ(cgroup_quota(root), 5);
    write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "400000\n");
    write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cgroup_quota(root), 4);
}

}  // namespace
}  // namespace pimdse::dse::base::cgroup_quota_test
