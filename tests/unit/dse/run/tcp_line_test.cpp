#include "dse/run/tcp_line.hpp"

#include "dse/base/durable_file.hpp"

#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <vector>

namespace pimdse::dse::run {
namespace {

/// Two connected sockets.
std::array<int, 2> pair_of_sockets() {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    return ends;
}

space::Bytes random_bytes(std::mt19937_64& random, std::size_t count) {
    space::Bytes bytes(count);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

/// As it goes over the line.
space::Bytes written(Tag tag, space::Bytes const& bytes) {
    space::Bytes all;
    base::wire::put(all, static_cast<std::uint32_t>(bytes.size()));
    base::wire::put(all, static_cast<std::uint8_t>(tag));
    all.insert(all.end(), bytes.begin(), bytes.end());
    return all;
}

void write_all(int socket, std::span<std::byte const> bytes) {
    ASSERT_EQ(::write(socket, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

using Said = std::pair<Tag, space::Bytes>;

Said random_message(std::mt19937_64& random, std::size_t longest) {
    return {static_cast<Tag>(1 + random() % 7), random_bytes(random, random() % 3 == 0 ? 0 : random() % longest)};
}

TEST(TcpLine, gives_whole_messages_in_order_however_the_bytes_are_cut) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 60; ++round) {
        auto const [near, far] = pair_of_sockets();
        TcpLine line(near);
        std::deque<Said> expected;
        space::Bytes bytes;
        for (std::uint64_t count = 1 + random() % 8; count > 0; --count) {
            expected.push_back(random_message(random, 300));
            auto const more = written(expected.back().first, expected.back().second);
            bytes.insert(bytes.end(), more.begin(), more.end());
        }
        for (std::size_t at = 0; at < bytes.size();) {
            std::size_t const count = std::min<std::size_t>(1 + random() % 90, bytes.size() - at);
            write_all(far, std::span(bytes).subspan(at, count));
            at += count;
            if (random() % 2 == 0) line.move();
            while (auto const message = line.receive()) {
                ASSERT_FALSE(expected.empty());
                ASSERT_EQ(Said(message->tag, message->bytes), expected.front());
                expected.pop_front();
            }
        }
        line.move();
        while (auto const message = line.receive()) {
            ASSERT_EQ(Said(message->tag, message->bytes), expected.at(0));
            expected.pop_front();
        }
        EXPECT_TRUE(expected.empty());
        EXPECT_FALSE(line.gone());
        ::close(far);
    }
}

TEST(TcpLine, carries_in_both_directions_at_once_more_than_the_system_holds) {
    auto const [a, b] = pair_of_sockets();
    std::array<TcpLine, 2> lines{TcpLine(a), TcpLine(b)};
    std::array<std::deque<Said>, 2> sent;
    std::mt19937_64 random(2);
    for (std::size_t end = 0; end < 2; ++end) {
        for (int message = 0; message < 12; ++message) {
            sent[end].push_back(random_message(random, 400'000));
            lines[end].send(sent[end].back().first, sent[end].back().second);
        }
        EXPECT_TRUE(end == 1 || !lines[0].all_sent()) << "nobody has taken it yet";
    }
    for (int turns = 0; turns < 10'000 && (!sent[0].empty() || !sent[1].empty()); ++turns) {
        for (std::size_t end = 0; end < 2; ++end) {
            lines[end].move();
            auto const message = lines[end].receive();
            if (!message) continue;
            ASSERT_EQ(Said(message->tag, message->bytes), sent[1 - end].front());
            sent[1 - end].pop_front();
        }
    }
    EXPECT_TRUE(sent[0].empty() && sent[1].empty());
    EXPECT_TRUE(lines[0].all_sent() && lines[1].all_sent());
}

TEST(TcpLine, takes_a_message_of_the_greatest_length_and_is_gone_at_one_byte_more) {
    std::mt19937_64 random(3);
    for (std::uint32_t const length : {100U, 101U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
        auto const [near, far] = pair_of_sockets();
        TcpLine line(near);
        line.set_max_message_bytes(100);
        space::Bytes head;
        base::wire::put(head, length);
        base::wire::put(head, std::uint8_t{2});
        write_all(far, head);
        write_all(far, random_bytes(random, 100));
        line.move();
        EXPECT_EQ(line.receive().has_value(), length == 100) << length;
        EXPECT_EQ(line.gone(), length != 100) << length;
        ::close(far);
    }
}

TEST(TcpLine, gives_what_had_come_before_its_other_end_went_and_no_half_message) {
    std::mt19937_64 random(4);
    auto const whole = written(Tag::result, random_bytes(random, 50));
    for (std::size_t more = 0; more < whole.size(); more += 5) {
        auto const [near, far] = pair_of_sockets();
        TcpLine line(near);
        write_all(far, whole);
        write_all(far, std::span(whole).first(more));
        ::close(far);
        line.move();
        EXPECT_TRUE(line.gone());
        EXPECT_TRUE(line.receive().has_value());
        EXPECT_FALSE(line.receive().has_value()) << "of which " << more << " bytes came";
        line.send(Tag::alive, random_bytes(random, 10));
        line.move();
        EXPECT_TRUE(line.gone()) << "and no signal ends the process";
    }
}

TEST(TcpLine, takes_along_what_is_on_its_way_when_it_moves) {
    std::mt19937_64 random(5);
    auto const [near, far] = pair_of_sockets();
    TcpLine before(near), other(far);
    auto const first = random_message(random, 1000), second = random_message(random, 1000);
    auto const big = random_bytes(random, 2'000'000);
    other.send(first.first, first.second);
    other.send(second.first, second.second);
    before.move();
    EXPECT_TRUE(before.receive().has_value());
    before.send(Tag::task, big);
    TcpLine after(std::move(before));
    EXPECT_EQ(after.socket(), near);
    auto const received = after.receive();
    ASSERT_TRUE(received.has_value());
    EXPECT_EQ(received->bytes, second.second);
    std::optional<Message> arrived;
    for (int turn = 0; turn < 10'000 && !arrived; ++turn) {
        after.move();
        other.move();
        arrived = other.receive();
    }
    ASSERT_TRUE(arrived.has_value());
    EXPECT_EQ(arrived->bytes, big);
}

TEST(TcpLine, reaches_whoever_listens_and_nobody_else) {
    auto const listening = listen_on(0);
    ASSERT_GT(listening.port, 0);
    std::vector hosts{"127.0.0.1"};
    addrinfo* found = nullptr;
    if (::getaddrinfo("localhost", nullptr, nullptr, &found) == 0)
        hosts.push_back("localhost");  // a bare root lacks it
    if (found != nullptr) ::freeaddrinfo(found);
    for (char const* host : hosts) {
        int const socket = connect_to(host, listening.port, 5.0);
        EXPECT_GE(socket, 0) << host;
        TcpLine const line(socket);
    }
    EXPECT_THROW((void)listen_on(listening.port), base::StorageError) << "two on one port";
    ::close(listening.socket);
    EXPECT_EQ(connect_to("127.0.0.1", listening.port, 1.0), -1);
    EXPECT_EQ(connect_to("no such host.invalid", listening.port, 1.0), -1);
    EXPECT_EQ(own_addresses().back(), "127.0.0.1");
}

}  // namespace
}  // namespace pimdse::dse::run
