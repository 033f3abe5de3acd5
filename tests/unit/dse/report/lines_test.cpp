#include "dse/report/request_lines.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <chrono>
#include <string>

namespace pimdse::dse::report::lines_test {
namespace {

/// A pipe whose ends are closed in the end.
struct Pipe {
    Pipe() { EXPECT_EQ(::pipe(ends), 0); }
    ~Pipe() {
        close_writer();
        ::close(ends[0]);
    }
    void write(std::string const& text) const {
        EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    void close_writer() {
        if (ends[1] >= 0) ::close(ends[1]);
        ends[1] = -1;
    }
    int ends[2] = {-1, -1};
};

std::optional<GivenLine> next(Lines& lines) {
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < until && !lines.over()) {
        if (auto line = lines.take()) return line;
        ::usleep(200);
    }
    return lines.take();
}

TEST(Lines, come_one_by_one_however_they_were_written) {
    Pipe pipe;
    Lines lines(pipe.ends[0]);
    EXPECT_FALSE(lines.take());
    pipe.write("one\ntw");
    EXPECT_EQ(next(lines)->text, "one");
    EXPECT_FALSE(lines.take());
    pipe.write("o\n\nlast");
    EXPECT_EQ(next(lines)->text, "two");
    EXPECT_EQ(next(lines)->text, "");
    EXPECT_FALSE(lines.over());
    pipe.close_writer();
    EXPECT_EQ(next(lines)->text, "last") << "also without an end";
    EXPECT_FALSE(next(lines));
    EXPECT_TRUE(lines.over());
}

TEST(Lines, end_while_their_writer_lives) {
    Pipe pipe;
    { Lines const lines(pipe.ends[0]); }
    Lines crowded(pipe.ends[0]);
    pipe.write(std::string(4000, '\n'));  // more than wait
}

TEST(Replies, are_written_in_order_and_whole) {
    Pipe pipe;
    {
        Replies replies(pipe.ends[1]);
        for (int k = 0; k < 100; ++k) replies.send(std::to_string(k));
    }
    pipe.close_writer();
    Lines lines(pipe.ends[0]);
    for (int k = 0; k < 100; ++k) ASSERT_EQ(next(lines)->text, std::to_string(k));
}

TEST(Replies, do_not_wait_for_a_reader) {
    Pipe pipe;
    Replies replies(pipe.ends[1]);
    for (int k = 0; k < 100; ++k) replies.send(std::string(100'000, 'x'));  // a pipe takes 64 KiB
    std::thread reader([&] {
        std::string part(1 << 20, '\0');
        for (std::size_t seen = 0; seen < 100 * 100'001;) {
            auto const count = ::read(pipe.ends[0], part.data(), part.size());
            ASSERT_GT(count, 0);
            seen += static_cast<std::size_t>(count);
        }
    });
    replies.finish();
    EXPECT_FALSE(replies.lost());
    reader.join();
}

}  // namespace
}  // namespace pimdse::dse::report::lines_test
