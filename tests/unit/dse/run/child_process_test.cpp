#include "dse/run/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <array>
#include <thread>

namespace pimdse::dse::run {
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
        space::Bytes heard;
        ASSERT_EQ(there.hear(heard), Line::Heard::frame);
        EXPECT_EQ(heard, frame);
    }
}

TEST(Line, says_when_nothing_comes_in_time_and_when_nobody_is_there) {
    auto [here, there] = both_ends();
    space::Bytes heard;
    EXPECT_EQ(here.hear(heard, Line::Clock::now() + 20ms), Line::Heard::late);
    EXPECT_TRUE(there.send(bytes_of(4, 0)));
    EXPECT_EQ(here.hear(heard, Line::Clock::now() - 1s), Line::Heard::frame)
        << "it was there before anybody looked at the clock";
    { Line const gone = std::move(there); }
    EXPECT_EQ(here.hear(heard), Line::Heard::gone);
    EXPECT_FALSE(here.send(bytes_of(4, 0)));
    EXPECT_EQ(Line(-1).hear(heard), Line::Heard::gone);
}

TEST(ChildProcess, tells_how_it_ended) {
    ChildProcess child({"/bin/sh", "-c", "exit 17"}, 2);
    int const status = child.end(0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 17);
    space::Bytes heard;
    for (std::size_t line = 0; line < 3; ++line) EXPECT_EQ(child.line(line).hear(heard), Line::Heard::gone);
}

TEST(ChildProcess, has_its_lines_by_their_numbers_and_nobody_elses) {
    ChildProcess const other({"/bin/sleep", "60"}, 3);
    ChildProcess child(
        {"/bin/sh", "-c",
         "exec 3>&-; ls -l /proc/self/fd | grep -c socket; exit $(ls -l /proc/self/fd | grep -c socket:)"},
        0);
    int const status = child.end(0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1) << "its standard input";
    EXPECT_EQ(child.its_descriptors(), std::vector<int>{0});
}

TEST(ChildProcess, is_no_rank) {
    ::setenv("OMPI_COMM_WORLD_RANK", "3", 1);
    ChildProcess child({"/bin/sh", "-c", "test -z \"$OMPI_COMM_WORLD_RANK\""}, 0);
    ::unsetenv("OMPI_COMM_WORLD_RANK");
    EXPECT_EQ(child.end(0), 0);
}

}  // namespace
}  // namespace pimdse::dse::run
