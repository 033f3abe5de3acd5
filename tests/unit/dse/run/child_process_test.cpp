#include "dse/run/isolation.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <csignal>
#include <cstdlib>

namespace pimdse::dse::run::child_process_test {
namespace {

using namespace std::chrono_literals;
using Received = ChildProcess::Received;

std::vector<std::string> shell(std::string const& script) { return {"/bin/sh", "-c", script}; }

ChildProcess::Clock::time_point in(std::chrono::milliseconds time) { return ChildProcess::Clock::now() + time; }

TEST(ChildProcess, replies_to_a_text_with_frames_of_any_size_in_order) {
    // Lengths of 5, 0 and 3,000,000 bytes, little-endian.
    ChildProcess child(shell(R"(n=$(wc -c); printf '\005\000\000\000%05d' $((n % 65521)) >&0
                             printf '\000\000\000\000\300\306\055\000' >&0; head -c 3000000 /dev/zero >&0)"),
                       std::string(3'000'007, 'x'));
    space::Bytes frame;
    ASSERT_EQ(child.receive(frame, in(60s)), Received::frame);
    EXPECT_EQ(std::string(reinterpret_cast<char const*>(frame.data()), frame.size()), "51562");
    ASSERT_EQ(child.receive(frame, in(60s)), Received::frame);
    EXPECT_TRUE(frame.empty());
    ASSERT_EQ(child.receive(frame, in(60s)), Received::frame);
    EXPECT_EQ(frame, space::Bytes(3'000'000));
    EXPECT_EQ(child.receive(frame, in(60s)), Received::closed);
}

TEST(ChildProcess, may_be_silent_or_die_within_a_frame) {
    space::Bytes frame;
    ChildProcess silent({"/bin/sleep", "60"}, "");
    EXPECT_EQ(silent.receive(frame, in(20ms)), Received::timeout);
    EXPECT_EQ(WTERMSIG(silent.end(SIGKILL)), SIGKILL);
    ChildProcess dying(shell(R"(printf '\001\000\000\000a\005\000\000\000ab' >&0)"), "");
    EXPECT_EQ(dying.receive(frame, in(60s)), Received::frame);
    EXPECT_EQ(dying.receive(frame, in(60s)), Received::closed);
    ChildProcess none({"/no/such/program"}, std::string(1'000'000, 'x'));
    EXPECT_EQ(none.receive(frame, in(60s)), Received::closed);
}

TEST(ChildProcess, reports_its_wait_status) {
    ChildProcess child(shell("exit 17"), std::string(1'000'000, 'x'));
    int const status = child.end(0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 17);
}

TEST(ChildProcess, inherits_only_its_own_socket) {
    ChildProcess const other({"/bin/sleep", "60"}, "");
    ChildProcess child(
        shell("exec 3>&-; ls -l /proc/self/fd | grep -c socket; exit $(ls -l /proc/self/fd | grep -c socket:)"), "");
    int const status = child.end(0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1) << "its standard input";
}

TEST(ChildProcess, does_not_start_as_an_mpi_rank) {
    ::setenv("OMPI_COMM_WORLD_RANK", "3", 1);
    ChildProcess child(shell("test -z \"$OMPI_COMM_WORLD_RANK\""), "");
    ::unsetenv("OMPI_COMM_WORLD_RANK");
    EXPECT_EQ(child.end(0), 0);
}

}  // namespace
}  // namespace pimdse::dse::run::child_process_test
