#include "dse/uncertain/winners.hpp"

#include "dse/space/evaluation.hpp"
#include "tests/unit/dse/report/two_machines.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace pimdse::dse::uncertain::winners_test {
namespace {

/// Every result of a question, best first, by machine: from the results of the space itself.
std::vector<std::vector<Ranked>> results_to(space::Space const& space, Question const& question) {
    std::vector<std::vector<Ranked>> all(space.machines().size());
    auto const name = question.metric + "@" + question.scenario_name;
    auto const metric = static_cast<std::size_t>(models::find_metric(space.metrics(), name));
    for (std::uint64_t id = 0; id < space.size(); ++id) {
        auto const result = space::evaluate(space, {space::PointId{id}, models::Fidelity::analytic});
        if (auto const* metrics = std::get_if<models::Metrics>(&result.outcome))
            all[space.machine_of(space::PointId{id})].push_back({space::PointId{id}, (*metrics)[metric].value});
    }
    for (auto& machine : all)
        std::ranges::stable_sort(machine, [&](Ranked const& a, Ranked const& b) {
            return question.maximize ? a.value > b.value : a.value < b.value;
        });
    return all;
}

TEST(FlipsWinners, are_the_best_results_of_each_machine) {
    auto const space =
        space::parse_space(testing::two_machines_text(R"(["latency", "energy", "tokens_per_second"])"), "two.toml");
    auto const questions = questions_of(space);
    auto const all = rank_machines(space, questions, 2, nullptr, 1);
    ASSERT_EQ(all.size(), questions.size());
    for (std::size_t q = 0; q < questions.size(); ++q) {
        auto const wanted = results_to(space, questions[q]);
        for (std::size_t m = 0; m < wanted.size(); ++m) {
            ASSERT_EQ(all[q].by_machine[m].size(), std::min<std::size_t>(wanted[m].size(), 2));
            for (std::size_t i = 0; i < all[q].by_machine[m].size(); ++i) {
                EXPECT_EQ(all[q].by_machine[m][i].point, wanted[m][i].point);
                EXPECT_EQ(all[q].by_machine[m][i].value, wanted[m][i].value);
            }
        }
        bool const first =
            questions[q].maximize ? wanted[0][0].value > wanted[1][0].value : wanted[0][0].value < wanted[1][0].value;
        EXPECT_EQ(all[q].winner(questions[q].maximize), first ? 0U : 1U);
        EXPECT_EQ(all[q].runner_up(questions[q].maximize), first ? 1U : 0U);
    }
}

TEST(FlipsWinners, are_those_of_the_points_that_are_named) {
    auto const space = testing::two_machines();
    auto const questions = questions_of(space);
    std::vector<space::PointId> const two{space::PointId{1}, space::PointId{5}};
    for (auto const& ranking : rank_machines(space, questions, 8, &two, 2)) {
        ASSERT_EQ(ranking.by_machine[0].size(), 1U);
        EXPECT_EQ(ranking.best_of(0).point, space::PointId{1});
        EXPECT_EQ(ranking.best_of(1).point, space::PointId{5});
    }
    std::vector<space::PointId> const one{space::PointId{2}};
    for (auto const& ranking : rank_machines(space, questions, 8, &one, 1)) {
        EXPECT_EQ(ranking.winner(false), 0U);
        EXPECT_EQ(ranking.runner_up(false), std::nullopt);
    }
}

TEST(FlipsWinners, meet_the_condition_of_their_question) {
    auto const space = space::parse_space(
        testing::two_machines_text(R"(["latency"])", "under = [\"peak_power <= 10 W\", \"area <= 1 mm2\"]\n"),
        "two.toml");
    auto const questions = questions_of(space);
    auto const all = rank_machines(space, questions, 8, nullptr, 1);
    std::size_t fewer = 0;
    for (std::size_t q = 0; q < questions.size(); q += 3) {
        EXPECT_EQ(all[q + 2].winner(false), std::nullopt) << "no machine is as small";
        for (std::size_t m = 0; m < 2; ++m) {
            EXPECT_LE(all[q + 1].by_machine[m].size(), all[q].by_machine[m].size());
            fewer += all[q + 1].by_machine[m].size() < all[q].by_machine[m].size() ? 1 : 0;
        }
    }
    EXPECT_GT(fewer, 0U) << "the condition takes something away";
}

TEST(FlipsWinners, do_not_depend_on_threads) {
    auto const space = testing::two_machines();
    auto const questions = questions_of(space);
    auto const one = rank_machines(space, questions, 3, nullptr, 1),
               many = rank_machines(space, questions, 3, nullptr, 4);
    for (std::size_t q = 0; q < questions.size(); ++q) {
        for (std::size_t m = 0; m < 2; ++m) {
            ASSERT_EQ(one[q].by_machine[m].size(), many[q].by_machine[m].size());
            for (std::size_t i = 0; i < one[q].by_machine[m].size(); ++i)
                EXPECT_EQ(one[q].by_machine[m][i].point, many[q].by_machine[m][i].point);
        }
    }
}

}  // namespace
}  // namespace pimdse::dse::uncertain::winners_test
