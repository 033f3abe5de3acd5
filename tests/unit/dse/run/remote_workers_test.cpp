#include "dse/run/remote_workers.hpp"

#include "dse/run/messages.hpp"
#include "dse/run/tcp_transport.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

namespace pimdse::dse::run {
namespace {

using store::sample::TemporaryDirectory;

space::Bytes bytes_of(std::string_view text) {
    auto const view = std::as_bytes(std::span(text));
    return {view.begin(), view.end()};
}

Invitation read_text(TemporaryDirectory const& folder, std::string const& text) {
    store::sample::set_content(folder / "x.join", text);
    return Invitation::read(folder / "x.join");
}

TEST(Invitation, says_what_was_written_to_its_owner_alone) {
    TemporaryDirectory const folder;
    auto const path = Invitation::path_of(folder / "run.h5");
    EXPECT_EQ(path.filename(), "run.h5.join");
    Invitation const written{{"10.0.0.1", "fe80::1%eth0", ""}, "h\"ost\\\n\u00fc", 65535, "0123abcd"};
    for (int round = 0; round < 2; ++round) written.write(path);
    auto const read = Invitation::read(path);
    EXPECT_EQ(read.addresses, written.addresses);
    EXPECT_EQ(read.machine, written.machine);
    EXPECT_EQ(read.port, written.port);
    EXPECT_EQ(read.token, written.token);
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0077U, 0U) << "the token is for the owner alone";
}

TEST(Invitation, is_none_where_something_is_missing_or_of_another_kind) {
    TemporaryDirectory const folder;
    nlohmann::json const good{
        {"machine", "m"}, {"addresses", nlohmann::json::array({"127.0.0.1"})}, {"port", 4711}, {"token", "t"}};
    EXPECT_EQ(read_text(folder, good.dump()).port, 4711);
    for (auto const& [key, _] : good.items()) {
        auto without = good;
        without.erase(key);
        EXPECT_THROW((void)read_text(folder, without.dump()), sim::InputError) << key;
        for (char const* other : {"null", "[]", "{}", "[1]", "{\"a\": 1}"}) {
            if (key == "addresses" && std::string(other) == "[]") continue;
            auto changed = good;
            changed[key] = nlohmann::json::parse(other);
            EXPECT_THROW((void)read_text(folder, changed.dump()), sim::InputError) << key << " = " << other;
        }
    }
    for (char const* port : {"65536", "70000", "-1", "1.5", "true", "\"4711\"", "0", "18446744073709551615"}) {
        auto changed = good;
        changed["port"] = nlohmann::json::parse(port);
        EXPECT_THROW((void)read_text(folder, changed.dump()), sim::InputError) << "port " << port;
    }
    std::string const text = good.dump();
    for (std::size_t length = 0; length < text.size(); ++length)
        EXPECT_THROW((void)read_text(folder, text.substr(0, length)), sim::InputError) << text.substr(0, length);
    EXPECT_THROW((void)Invitation::read(folder / "none.join"), sim::InputError);
}

/// A run that others may join, and those who do.
class RemoteWorkersOfARun : public ::testing::Test {
  protected:
    [[nodiscard]] TcpLine stranger() const {
        TcpLine line(connect_to("127.0.0.1", invitation.port, 5.0));
        EXPECT_GE(line.socket(), 0);
        return line;
    }
    [[nodiscard]] TcpLine known_worker(std::string const& machine) {
        auto line = stranger();
        line.send(Tag::hello, bytes_of(invitation.token + "\n" + machine));
        EXPECT_EQ(next().kind, RemoteWorkers::Kind::joined);
        auto const welcome = message_to(line);
        EXPECT_EQ(welcome.tag, Tag::hello);
        EXPECT_EQ(welcome.bytes, bytes_of("welcome"));
        return line;
    }
    /// Of several turns of either side, as long as it takes.
    RemoteWorkers::Event next() {
        for (int turn = 0; turn < 5'000; ++turn) {
            if (auto event = workers.next()) return *std::move(event);
            ::usleep(100);
        }
        ADD_FAILURE() << "nothing happened";
        return {};
    }
    static Message message_to(TcpLine& line) {
        for (int turn = 0; turn < 5'000; ++turn) {
            line.move();
            if (auto message = line.receive()) return *std::move(message);
            ::usleep(100);
        }
        ADD_FAILURE() << "nothing came";
        return {};
    }
    bool goes_away(TcpLine& line) {
        for (int turn = 0; turn < 5'000 && !line.gone(); ++turn) {
            EXPECT_FALSE(workers.next().has_value()) << "nobody whom it may concern";
            line.move();
            ::usleep(100);
        }
        return line.gone();
    }

    TemporaryDirectory folder;
    RemoteWorkers workers{folder / "run.h5", 0, bytes_of("welcome")};
    Invitation invitation = Invitation::read(Invitation::path_of(folder / "run.h5"));
};

TEST_F(RemoteWorkersOfARun, lets_in_who_knows_the_token_and_hears_what_they_say_in_order) {
    auto line = known_worker("node7");
    line.send(Tag::result, bytes_of("one"));
    line.send(Tag::starving, {});
    auto const first = next(), second = next();
    EXPECT_EQ(first.kind, RemoteWorkers::Kind::message);
    EXPECT_EQ(first.message.tag, Tag::result);
    EXPECT_EQ(first.message.bytes, bytes_of("one"));
    EXPECT_EQ(second.message.tag, Tag::starving);
    EXPECT_EQ(second.worker, first.worker);
    workers.send(first.worker, Tag::task, bytes_of("work"));
    EXPECT_EQ(message_to(line).bytes, bytes_of("work"));
}

TEST_F(RemoteWorkersOfARun, sends_strangers_away_who_know_nearly_the_token_or_say_too_much) {
    auto const& token = invitation.token;
    ASSERT_GE(token.size(), 32U);
    std::vector<std::pair<Tag, std::string>> const greetings{
        {Tag::hello, ""},
        {Tag::hello, "\n" + token},
        {Tag::hello, token.substr(1)},
        {Tag::hello, token + "0\nnode"},
        {Tag::hello, token.substr(0, token.size() - 1) + "\n"},
        {Tag::result, token + "\nnode"},
        {Tag::hello, token + "\n" + std::string(5000, 'x')},
    };
    for (auto const& [tag, greeting] : greetings) {
        auto line = stranger();
        line.send(tag, bytes_of(greeting));
        EXPECT_TRUE(goes_away(line)) << greeting.substr(0, 60);
        EXPECT_FALSE(line.receive().has_value()) << "they are told nothing";
    }
    EXPECT_TRUE(workers.hosts().empty());
}

TEST_F(RemoteWorkersOfARun, remembers_each_machine_once_in_the_order_they_came_as_text_that_can_be_written) {
    std::vector<TcpLine> lines;
    for (char const* machine : {"b", "a", "b", "", "c\xff"}) lines.push_back(known_worker(machine));
    auto const hosts = workers.hosts();
    ASSERT_EQ(hosts.size(), 3U);
    EXPECT_EQ(hosts[0], "b");
    EXPECT_EQ(hosts[1], "a");
    EXPECT_NO_THROW((void)nlohmann::json(hosts).dump());
}

TEST_F(RemoteWorkersOfARun, notices_who_goes_after_their_last_word_and_says_nothing_to_them_any_more) {
    std::uint64_t worker = 0;
    {
        auto line = known_worker("x");
        line.send(Tag::result, bytes_of("last"));
        auto const said = next();
        EXPECT_EQ(said.kind, RemoteWorkers::Kind::message);
        worker = said.worker;
        line.send(Tag::result, bytes_of("very last"));
    }
    EXPECT_EQ(next().message.bytes, bytes_of("very last"));
    auto const left = next();
    EXPECT_EQ(left.kind, RemoteWorkers::Kind::left);
    EXPECT_EQ(left.worker, worker);
    workers.send(worker, Tag::task, bytes_of("work"));
    EXPECT_FALSE(workers.next().has_value());
    auto forgotten = known_worker("y");
    forgotten.send(Tag::result, {});
    workers.forget(next().worker);
    EXPECT_TRUE(goes_away(forgotten)) << "there is no `left` for it";
}

TEST_F(RemoteWorkersOfARun, gives_everybody_a_turn_however_much_one_of_them_says) {
    auto loud = known_worker("loud"), quiet = known_worker("quiet");
    for (int k = 0; k < 200; ++k) loud.send(Tag::alive, {});
    quiet.send(Tag::result, bytes_of("me, too"));
    ::usleep(20'000);
    int before = 0;
    while (next().message.tag != Tag::result) ++before;
    EXPECT_LE(before, 3);
    for (; before < 200; ++before) ASSERT_EQ(next().message.tag, Tag::alive) << "and all of what they say";
}

TEST_F(RemoteWorkersOfARun, says_to_everybody_that_it_is_over_and_invites_nobody_any_more) {
    auto a = known_worker("a"), b = known_worker("b");
    workers.dismiss();
    EXPECT_EQ(message_to(a).tag, Tag::stop);
    EXPECT_EQ(message_to(b).tag, Tag::stop);
    auto const path = Invitation::path_of(folder / "run.h5");
    EXPECT_FALSE(std::filesystem::exists(path));
    invitation.write(path);  // the next run's
    workers.dismiss();
    EXPECT_TRUE(std::filesystem::exists(path)) << "it is not this run's to take away";
}

/// The next event of a transport, after as many turns as it takes.
WorkerEvent event_of(TcpTransport& transport) {
    for (int turn = 0; turn < 5'000; ++turn) {
        if (auto event = transport.poll()) return *std::move(event);
        ::usleep(100);
    }
    ADD_FAILURE() << "nothing happened";
    return {};
}

TEST_F(RemoteWorkersOfARun, get_chunks_and_are_heard_by_a_transport_until_they_leave) {
    TcpTransport transport(workers, 60.0);
    EXPECT_TRUE(transport.workers().empty());
    TcpLine line = stranger();
    line.send(Tag::hello, bytes_of(invitation.token + "\nx"));
    auto const joined = event_of(transport);
    EXPECT_EQ(joined.kind, WorkerEvent::Kind::joined);
    EXPECT_EQ(transport.workers(), std::vector<WorkerKey>{joined.worker});
    EXPECT_EQ(message_to(line).tag, Tag::hello);
    transport.submit(joined.worker, {7, space::Batch::range(space::PointId{3}, 2, models::Fidelity::analytic)});
    auto const task = message_to(line);
    EXPECT_EQ(task.tag, Tag::task);
    EXPECT_EQ(run::read_chunk(task.bytes).sequence, 7U);
    line.send(Tag::starving, {});
    EXPECT_EQ(event_of(transport).kind, WorkerEvent::Kind::starving);
    line.send(Tag::alive, {});
    line.send(Tag::result, write_finished({7, {}, 0.5, true, 2}));
    auto const finished = event_of(transport);
    EXPECT_EQ(finished.kind, WorkerEvent::Kind::finished);
    EXPECT_EQ(finished.chunk.sequence, 7U);
    EXPECT_EQ(finished.chunk.evaluated, 2U);
    transport.recall();
    EXPECT_EQ(message_to(line).tag, Tag::recall);
    { TcpLine const closed = std::move(line); }
    auto const left = event_of(transport);
    EXPECT_EQ(left.kind, WorkerEvent::Kind::left);
    EXPECT_EQ(left.worker, joined.worker);
    EXPECT_TRUE(transport.workers().empty());
}

TEST_F(RemoteWorkersOfARun, have_left_where_they_send_what_is_no_result_or_are_silent) {
    for (bool const silent : {false, true}) {
        TcpTransport transport(workers, silent ? -1.0 : 60.0);
        TcpLine line = stranger();
        line.send(Tag::hello, bytes_of(invitation.token + "\nx"));
        auto const joined = event_of(transport);
        if (silent) {
            for (int turn = 0; turn < 3; ++turn) {
                transport.supervise([](WorkerKey) { return false; });
                ::usleep(600'000);
            }
        } else {
            line.send(Tag::result, bytes_of("no result"));
        }
        auto const left = event_of(transport);
        EXPECT_EQ(left.kind, WorkerEvent::Kind::left);
        EXPECT_EQ(left.worker, joined.worker);
        EXPECT_TRUE(goes_away(line));
    }
}

}  // namespace
}  // namespace pimdse::dse::run
