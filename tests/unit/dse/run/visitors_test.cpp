#include "dse/run/visitors.hpp"

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

/// A run that is visited, and those who come.
class Visited : public ::testing::Test {
  protected:
    [[nodiscard]] TcpLine guest() const {
        TcpLine line(connect_to("127.0.0.1", invitation.port, 5.0));
        EXPECT_GE(line.socket(), 0);
        return line;
    }
    [[nodiscard]] TcpLine known_guest(std::string const& machine) {
        auto line = guest();
        line.send(Tag::hello, bytes_of(invitation.token + "\n" + machine));
        EXPECT_EQ(next().kind, Visitors::Kind::came);
        auto const welcome = message_to(line);
        EXPECT_EQ(welcome.tag, Tag::hello);
        EXPECT_EQ(welcome.bytes, bytes_of("welcome"));
        return line;
    }
    /// Of several turns of either side, as long as it takes.
    Visitors::Event next() {
        for (int turn = 0; turn < 5'000; ++turn) {
            if (auto event = visitors.next()) return *std::move(event);
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
            EXPECT_FALSE(visitors.next().has_value()) << "nobody whom it may concern";
            line.move();
            ::usleep(100);
        }
        return line.gone();
    }

    TemporaryDirectory folder;
    Visitors visitors{folder / "run.h5", 0, bytes_of("welcome")};
    Invitation invitation = Invitation::read(Invitation::path_of(folder / "run.h5"));
};

TEST_F(Visited, lets_in_who_knows_the_token_and_hears_what_they_say_in_order) {
    auto line = known_guest("node7");
    line.send(Tag::result, bytes_of("one"));
    line.send(Tag::starving, {});
    auto const first = next(), second = next();
    EXPECT_EQ(first.kind, Visitors::Kind::said);
    EXPECT_EQ(first.message.tag, Tag::result);
    EXPECT_EQ(first.message.bytes, bytes_of("one"));
    EXPECT_EQ(second.message.tag, Tag::starving);
    EXPECT_EQ(second.visitor, first.visitor);
    visitors.send(first.visitor, Tag::task, bytes_of("work"));
    EXPECT_EQ(message_to(line).bytes, bytes_of("work"));
}

TEST_F(Visited, sends_strangers_away_who_know_nearly_the_token_or_say_too_much) {
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
        auto line = guest();
        line.send(tag, bytes_of(greeting));
        EXPECT_TRUE(goes_away(line)) << greeting.substr(0, 60);
        EXPECT_FALSE(line.receive().has_value()) << "they are told nothing";
    }
    EXPECT_TRUE(visitors.machines().empty());
}

TEST_F(Visited, remembers_each_machine_once_in_the_order_they_came_as_text_that_can_be_written) {
    std::vector<TcpLine> lines;
    for (char const* machine : {"b", "a", "b", "", "c\xff"}) lines.push_back(known_guest(machine));
    auto const machines = visitors.machines();
    ASSERT_EQ(machines.size(), 3U);
    EXPECT_EQ(machines[0], "b");
    EXPECT_EQ(machines[1], "a");
    EXPECT_NO_THROW((void)nlohmann::json(machines).dump());
}

TEST_F(Visited, notices_who_goes_after_their_last_word_and_says_nothing_to_them_any_more) {
    std::uint64_t visitor = 0;
    {
        auto line = known_guest("x");
        line.send(Tag::result, bytes_of("last"));
        auto const said = next();
        EXPECT_EQ(said.kind, Visitors::Kind::said);
        visitor = said.visitor;
        line.send(Tag::result, bytes_of("very last"));
    }
    EXPECT_EQ(next().message.bytes, bytes_of("very last"));
    auto const went = next();
    EXPECT_EQ(went.kind, Visitors::Kind::went);
    EXPECT_EQ(went.visitor, visitor);
    visitors.send(visitor, Tag::task, bytes_of("work"));
    EXPECT_FALSE(visitors.next().has_value());
    auto forgotten = known_guest("y");
    forgotten.send(Tag::result, {});
    visitors.forget(next().visitor);
    EXPECT_TRUE(goes_away(forgotten)) << "there is no `went` for it";
}

TEST_F(Visited, gives_everybody_a_turn_however_much_one_of_them_says) {
    auto loud = known_guest("loud"), quiet = known_guest("quiet");
    for (int k = 0; k < 200; ++k) loud.send(Tag::alive, {});
    quiet.send(Tag::result, bytes_of("me, too"));
    ::usleep(20'000);
    int before = 0;
    while (next().message.tag != Tag::result) ++before;
    EXPECT_LE(before, 3);
    for (; before < 200; ++before) ASSERT_EQ(next().message.tag, Tag::alive) << "and all of what they say";
}

TEST_F(Visited, says_to_everybody_that_it_is_over_and_invites_nobody_any_more) {
    auto a = known_guest("a"), b = known_guest("b");
    visitors.dismiss();
    EXPECT_EQ(message_to(a).tag, Tag::stop);
    EXPECT_EQ(message_to(b).tag, Tag::stop);
    auto const path = Invitation::path_of(folder / "run.h5");
    EXPECT_FALSE(std::filesystem::exists(path));
    invitation.write(path);  // the next run's
    visitors.dismiss();
    EXPECT_TRUE(std::filesystem::exists(path)) << "it is not this run's to take away";
}

}  // namespace
}  // namespace pimdse::dse::run
