#include "dse/report/served_search.hpp"

#include "../made_up_space.hpp"
#include "dse/space/evaluation.hpp"
#include "sim/base/check.hpp"
#include "sim/base/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <chrono>

namespace pimdse::dse::report::served_search_test {
namespace {

using sim::Json;
using ::testing::HasSubstr;

/// Somebody who asks, at the other ends of two pipes.
struct Asker {
    Asker() {
        EXPECT_EQ(::pipe(requests), 0);
        EXPECT_EQ(::pipe(replies), 0);
    }
    ~Asker() {
        close_requests();
        ::close(requests[0]);
        ::close(replies[0]);
        ::close(replies[1]);
    }
    void close_requests() {
        if (requests[1] >= 0) ::close(requests[1]);
        requests[1] = -1;
    }
    void ask(std::string const& line) const {
        auto const text = line + "\n";
        EXPECT_EQ(::write(requests[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    int requests[2] = {-1, -1}, replies[2] = {-1, -1};
};

/// A search that is asked over pipes, and what is evaluated at once.
struct Served : ::testing::Test {
    space::Space space =
        dse::testing::made_up_space({dse::testing::made_up_machine({.rows = {4, 8, 400}, .depth = {1, 2}})});
    search::ResultStore store{3};
    Asker asker;
    int committed = 0;
    ServedSearch search{space, store, asker.requests[0], asker.replies[1], [this] { ++committed; }};
    Lines heard{asker.replies[0]};

    /// Asks until somebody has to evaluate something or the time is up.
    space::Batch batch(std::uint64_t max = 100) {
        auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (std::chrono::steady_clock::now() < until) {
            auto found = search.ask(max);
            if (found.size() > 0 || !search.waits()) return found;
            ::usleep(200);
        }
        ADD_FAILURE() << "nothing was asked";
        return {};
    }

    void evaluate_all(space::Batch const& requested) {
        for (std::uint64_t i = 0; i < requested.size(); ++i) {
            auto const result = space::evaluate(space, requested.task(i));
            store.insert(result);
            search.tell(result);
        }
    }

    /// The next reply; the search is asked meanwhile, as it sends replies then.
    Json reply() {
        auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (std::chrono::steady_clock::now() < until) {
            EXPECT_EQ(search.ask(100).size(), 0U);
            if (auto const line = heard.take()) return Json::parse(line->text);
            ::usleep(200);
        }
        ADD_FAILURE() << "no reply";
        return {};
    }
};

TEST_F(Served, evaluates_each_point_of_a_request_in_its_order) {
    asker.ask(R"({"verb": "evaluate", "tag": 7, "ids": ["3", "0", "5", "0"]})");
    evaluate_all(batch());
    auto const said = reply();
    EXPECT_EQ(said["tag"], 7);
    ASSERT_EQ(said["answers"].size(), 4U);
    EXPECT_EQ(said["answers"][0]["id"], "3");
    EXPECT_EQ(said["answers"][1]["id"], "0");
    EXPECT_EQ(said["answers"][2]["id"], "5");
    EXPECT_EQ(said["answers"][1], said["answers"][3]);
    EXPECT_EQ(said["answers"][2]["status"], "infeasible");
    EXPECT_EQ(said["answers"][2]["reason"], "rows * depth is above 600");
    EXPECT_GT(said["answers"][0]["metrics"]["latency"].get<double>(), 0.0);
    EXPECT_GE(committed, 1) << "before anything is said";
}

TEST_F(Served, cuts_requests_to_what_fits_and_evaluates_them_whole) {
    asker.ask(R"({"verb": "evaluate", "tag": "a", "ids": [0, 1, 2, 3, 4]})");
    asker.ask(R"({"verb": "evaluate", "tag": "b", "ids": [5]})");
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t got = 0; got < 6;) {
        auto const requested = batch(2);
        sizes.push_back(requested.size());
        got += requested.size();
        evaluate_all(requested);
    }
    EXPECT_EQ(sizes, (std::vector<std::uint64_t>{2, 2, 1, 1}));
    EXPECT_EQ(search.planned(), 6U);
    auto const first = reply(), second = reply();
    EXPECT_EQ(first["tag"], "a");
    EXPECT_EQ(first["answers"].size(), 5U);
    EXPECT_EQ(second["tag"], "b");
    EXPECT_EQ(second["answers"].size(), 1U);
}

TEST_F(Served, says_what_is_wrong_with_a_line_and_goes_on) {
    for (auto const* wrong : {"{", "[1]", R"({"verb": "evalute"})", R"({"verb": "evaluate", "tag": 1})",
                              R"({"verb": "evaluate", "ids": [6]})", R"({"verb": "front", "ids": [0]})",
                              R"({"verb": "evaluate", "ids": [0], "points": [{}]})",
                              R"({"verb": "evaluate", "ids": [0], "fidelity": "hybrid"})",
                              R"({"verb": "evaluate", "ids": [0], "fidelity": 3})", "{\"verb\": \"\xff\"}"}) {
        asker.ask(wrong);
        auto const said = reply();
        EXPECT_TRUE(said.contains("error") && said.contains("tag")) << said.dump();
    }
    asker.ask("   \t\r");
    asker.ask(R"({"verb": "evaluate", "ids": [5], "fidelity": "cycle"})");
    auto const requested = batch();
    ASSERT_EQ(requested.size(), 1U);
    EXPECT_EQ(requested.task(0), (space::Task{space::PointId{5}, models::Fidelity::cycle}));
}

// Copies and prints of what is nested call themselves once a level.
TEST_F(Served, refuses_what_is_nested_deeply_and_lives) {
    constexpr std::size_t deep = 1'000'000;
    std::string const lists = std::string(deep, '[') + std::string(deep, ']');
    std::string objects;
    for (std::size_t i = 0; i < deep / 10; ++i) objects += "{\"a\":";
    std::thread writer([&] {
        asker.ask(R"({"verb": "front", "tag": )" + lists + "}");
        asker.ask(R"({"verb": "evaluate", "points": )" + lists + "}");
        asker.ask(objects + "1" + std::string(deep / 10, '}'));
        asker.ask(
            R"({"verb": "front", "tag": "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["})");
        asker.ask(
            R"({"verb": "front", "tag": "\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["})");
    });
    for (int i = 0; i < 3; ++i) EXPECT_THAT(reply()["error"].get<std::string>(), HasSubstr("nested"));
    EXPECT_TRUE(reply().contains("front")) << "text is not nested";
    EXPECT_TRUE(reply().contains("front")) << "nor behind a quote in it";
    writer.join();
}

TEST_F(Served, describes_its_space) {
    asker.ask(R"({"verb": "describe", "tag": null})");
    auto const said = reply();
    EXPECT_EQ(said["points"], "6");
    EXPECT_EQ(said["fidelity"], "analytic");
    EXPECT_EQ(said["machines"][0]["parameters"].size(), 5U);
    EXPECT_EQ(said["machines"][0]["parameters"][0]["values"], (Json{4, 8, 400}));
    EXPECT_EQ(said["objectives"][0], (Json{{"name", "latency"}, {"better", "minimize"}}));
    EXPECT_EQ(said["metrics"].size(), 3U);
}

TEST_F(Served, has_the_front_of_what_was_evaluated) {
    asker.ask(R"({"verb": "front"})");
    EXPECT_EQ(reply()["front"].size(), 0U) << "of nothing";
    asker.ask(R"({"verb": "evaluate", "ids": [0, 1, 2, 3, 4, 5]})");
    evaluate_all(batch());
    (void)reply();
    asker.ask(R"({"verb": "front", "tag": [1]})");
    auto const said = reply();
    ASSERT_GT(said["front"].size(), 0U);
    for (auto const& member : said["front"]) {
        EXPECT_EQ(member["status"], "ok");
        auto const latency = member["metrics"]["latency"].get<double>();
        auto const energy = member["metrics"]["energy"].get<double>();
        for (search::Row row = 0; row < store.size(); ++row) {
            if (store.status(row) != search::Status::ok) continue;
            bool const better = store.value(row, 0) <= latency && store.value(row, 1) <= energy;
            EXPECT_TRUE(!better || (store.value(row, 0) == latency && store.value(row, 1) == energy));
        }
    }
}

TEST_F(Served, ends_when_it_is_told_to_and_when_its_lines_end) {
    EXPECT_TRUE(search.waits());
    asker.ask(R"({"verb": "stop", "tag": "bye"})");
    EXPECT_EQ(batch().size(), 0U);
    EXPECT_FALSE(search.waits());
    search.end({{"sealed", "a.h5"}});
    EXPECT_EQ(reply(), (Json{{"tag", "bye"}, {"sealed", "a.h5"}}));
}

TEST_F(Served, ends_with_its_lines_and_without_a_tag) {
    asker.close_requests();
    EXPECT_EQ(batch().size(), 0U);
    EXPECT_FALSE(search.waits());
    search.end({{"sealed", "a.h5"}});
    EXPECT_FALSE(heard.take()) << "nobody asked it to stop";
}

TEST(ServedSearch, keeps_every_result) {
    auto parts = dse::testing::made_up_space({dse::testing::made_up_machine({.rows = {4, 8}})});
    space::Space::Parts kept;
    kept.machines = {dse::testing::made_up_machine({.rows = {4, 8}})};
    kept.objectives = parts.objectives();
    kept.search.keep = space::Keep::front;
    space::Space const space(std::move(kept));
    search::ResultStore const store(3);
    Asker asker;
    EXPECT_THROW(ServedSearch(space, store, asker.requests[0], asker.replies[1], [] {}), sim::InputError);
}

}  // namespace
}  // namespace pimdse::dse::report::served_search_test
