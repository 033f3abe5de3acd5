#include "dse/run/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <array>
#include <thread>

namespace pimdse::dse::run::child_process_test {
namespace {

using namespace std::chrono_literals;

std::pair<Line, Line> both_ends() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    return {Line(ends[0]), Line(ends[1])};
}

space::Bytes bytes_of(std::size_t size, unsigned char first) {
    space::Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(first + i);
    return bytes;
}

TEST(Line, carries_frames_of_any_size_in_order) {
    auto [here, there] = both_ends();
    std::vector<space::Bytes> const frames{bytes_of(0, 0), bytes_of(1, 9), bytes_of(3'000'000, 1), bytes_of(65'536, 7),
                                           bytes_of(5, 2)};
    std::jthread const sending([&, &here = here] {
        for (auto const& frame : frames) EXPECT_TRUE(here.send(frame));
    });
    for (auto const& frame : frames) {
        space::Bytes received;
        ASSERT_EQ(there.receive(received), Line::Received::frame);
        EXPECT_EQ(received, frame);
    }
}

TEST(Line, reports_a_timeout_and_a_closed_connection) {
    auto [here, there] = both_ends();
    space::Bytes received;
    EXPECT_EQ(here.receive(received, Line::Clock::now() + 20ms), Line::Received::timeout);
    EXPECT_TRUE(there.send(bytes_of(4, 0)));
    EXPECT_EQ(here.receive(received, Line::Clock::now() - 1s), Line::Received::frame)
        << "a frame that has arrived is returned after the deadline";
    { Line const gone = std::move(there); }
    EXPECT_EQ(here.receive(received), Line::Received::closed);
    EXPECT_FALSE(here.send(bytes_of(4, 0)));
    EXPECT_EQ(Line(-1).receive(received), Line::Received::closed);
}

TEST(ChildProcess, reports_its_wait_status) {
    ChildProcess child({"/bin/sh", "-c", "exit 17"}, 2);
    int const status = child.end(0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 17);
    space::Bytes received;
    for (std::size_t line = 0; line < 3; ++line) EXPECT_EQ(child.line(line).receive(received), Line::Received::closed);
}

TEST(ChildProcess, inherits_only_its_own_lines) {
    ChildProcess const other({"/bin/sleep", "60"}, 3);
    ChildProcess child(
        {"/bin/sh", "-c",
         "exec 3>&-; ls -l /proc/self/fd | grep -c socket; exit $(ls -l /proc/self/fd | grep -c socket:)"},
        0);
    int const status = child.end(0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1) << "its standard input";
    EXPECT_EQ(child.child_descriptors(), std::vector<int>{0});
}

TEST(ChildProcess, does_not_start_as_an_mpi_rank) {
    ::setenv("OMPI_COMM_WORLD_RANK", "3", 1);
    ChildProcess child({"/bin/sh", "-c", "test -z \"$OMPI_COMM_WORLD_RANK\""}, 0);
    ::unsetenv("OMPI_COMM_WORLD_RANK");
    EXPECT_EQ(child.end(0), 0);
}

}  // namespace
}  // namespace pimdse::dse::run::child_process_test
