#include "dse/uncertain/winners.hpp"

#include "models/contract/architecture.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/dse/report/two_machines.hpp"
#include "tests/unit/dse/small_space.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::dse::uncertain::question_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<Question> questions_in(std::string const& objectives, std::string const& more = "") {
    return questions_of(space::parse_space(testing::two_machines_text(objectives, more), "two.toml"));
}

TEST(FlipsQuestions, are_every_objective_in_every_scenario_free_and_under_each_condition) {
    auto const questions = questions_in(R"(["latency", "tokens_per_second"])", "under = [\"peak_power <= 10 W\"]\n");
    ASSERT_EQ(questions.size(), 8U);
    std::size_t at = 0;
    for (std::size_t scenario = 0; scenario < 2; ++scenario) {
        for (auto const* metric : {"latency", "tokens_per_second"}) {
            for (auto const* under : {"", "peak_power <= 10 W"}) {
                auto const& question = questions[at++];
                EXPECT_EQ(question.scenario, scenario);
                EXPECT_EQ(question.scenario_name, scenario == 0 ? "chat" : "long");
                EXPECT_EQ(question.metric, metric);
                EXPECT_EQ(question.under, under);
                EXPECT_EQ(question.maximize, question.metric != "latency");
                EXPECT_EQ(question.unit, question.metric == "latency" ? "s" : "1/s");
            }
        }
    }
}

TEST(FlipsQuestions, ask_one_scenarios_metric_of_all_scenarios_and_each_metric_once) {
    auto const questions = questions_in(R"(["latency@long", "latency", "energy@chat"])");
    ASSERT_EQ(questions.size(), 4U);
    EXPECT_EQ(questions[0].metric, "latency");
    EXPECT_EQ(questions[1].metric, "energy");
}

TEST(FlipsQuestions, may_be_formulas) {
    auto const space = space::parse_space(testing::two_machines_text(R"(["latency * energy"])"), "two.toml");
    auto const questions = questions_of(space);
    ASSERT_EQ(questions.size(), 2U);
    EXPECT_EQ(questions[0].unit, "J*s");
    for (auto const& machine : space.machines()) {
        auto const requested = question_for(machine, questions[0]);
        auto const metrics = machine.architecture->metrics();
        models::Metrics result(metrics.size(), models::Estimate::unbounded(7.0));
        result[static_cast<std::size_t>(models::find_metric(metrics, "latency"))].value = 2.0;
        result[static_cast<std::size_t>(models::find_metric(metrics, "energy"))].value = 3.0;
        EXPECT_DOUBLE_EQ(requested.value_of(result), 6.0) << machine.name;
    }
}

TEST(FlipsQuestions, are_not_asked_of_one_machine_or_across_scenarios) {
    EXPECT_THAT([] { return questions_of(dse::testing::small_space()); },
                ThrowsMessage<sim::InputError>(HasSubstr("[[machine]]")));
    EXPECT_THAT([] { return questions_in(R"(["latency@chat + latency@long"])"); },
                ThrowsMessage<sim::InputError>(says("each-scenario-alone")));
}

}  // namespace
}  // namespace pimdse::dse::uncertain::question_test
