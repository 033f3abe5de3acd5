#include "dse/report/service_facts.hpp"

#include "dse/report/page.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/space_reader.hpp"
#include "dse/store/result_writer.hpp"
#include "tests/unit/dse/small_space.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <set>

namespace pimdse::dse::report::service_facts_test {
namespace {

namespace sample = store::sample;
using space::PointId;

/// Boards alone and in pairs, with two policies of the scheduler, under two kinds of traffic.
space::Space services() {
    return space::parse_space(R"(schema = 2
architecture = "gpu"
objectives = ["max_rate", "energy_per_good_token", "silicon"]
[parameters]
device = ["h100", "rtx_4090"]
devices = [1, 2]
data_parallel = [1, 2]
"scheduler.policy" = ["fcfs", "shortest_prompt"]
[[scenario]]
name = "trace"
llm = "llama-3.2-1b"
[scenario.traffic]
trace = "azure_2023_conv.csv"
requests = 60
[scenario.slo]
ttft = "200 ms"
tpot = "20 ms"
share = 0.9
[[scenario]]
name = "drawn"
llm = "llama-3.2-1b"
[scenario.traffic]
rate = "4 1/s"
requests = 40
input = 300
output = 50
[scenario.slo]
ttft = "1 s"
)",
                              "services.toml");
}

search::ResultStore evaluated(space::Space const& space) {
    search::ResultStore results(space.metrics().size());
    for (std::uint64_t id = 0; id < space.size(); ++id)
        results.insert(space::evaluate(space, {PointId{id}, models::Fidelity::analytic}));
    return results;
}

store::ResultFile sealed(space::Space const& space, search::ResultStore const& results,
                         sample::TemporaryDirectory const& directory) {
    store::seal(directory / "run.h5", space.columns(), results, {});
    return store::load_result_file(directory / "run.h5");
}

/// The services of all tests, evaluated once.
store::ResultFile sealed_services(sample::TemporaryDirectory const& directory) {
    static auto const results = evaluated(services());
    return sealed(services(), results, directory);
}

TEST(ServiceFacts, describe_the_traffic_of_scenarios) {
    sample::TemporaryDirectory const directory;
    auto const space = services();
    auto const about = service_facts(sealed_services(directory), space, {.seconds = 1e-9}).about;
    ASSERT_EQ(about["scenarios"].size(), 2U);
    auto const& trace = about["scenarios"][0];
    EXPECT_EQ(trace["ttft"], 0.2);
    EXPECT_EQ(trace["share"], 0.9);
    EXPECT_TRUE(about["scenarios"][1]["tpot"].is_null());
    auto const text = trace["text"].get<std::string>();
    EXPECT_TRUE(text.starts_with("llama-3.2-1b; 60 requests of azure_2023_conv.csv, ")) << text;
    EXPECT_TRUE(
        text.ends_with("good: first token within 200 ms, 20 ms for each token after it; max_rate is for 90 % "
                       "of them"))
        << text;
    EXPECT_NE(about["scenarios"][1]["text"].get<std::string>().find("40 requests, poisson arrivals, "),
              std::string::npos);
    EXPECT_EQ(about["of_batches"], (sim::Json{"batch", "input", "output"}));
}

TEST(ServiceFacts, have_curves_of_designs_on_the_front_in_each_scenario) {
    sample::TemporaryDirectory const directory;
    auto const space = services();
    auto const file = sealed_services(directory);
    auto const facts = service_facts(file, space, {.seconds = 1e3, .threads = 2});
    ASSERT_FALSE(file.front.empty());
    ASSERT_EQ(facts.by_point.size(), std::min<std::size_t>(12, file.front.size()));
    for (auto const& [id, curves] : facts.by_point.items()) {
        ASSERT_EQ(curves.size(), 2U);
        for (std::size_t s = 0; s < 2; ++s) {
            auto const& own = curves[s];
            auto const& scenario = facts.about["scenarios"][s];
            EXPECT_EQ(own["scenario"], scenario["name"]);
            EXPECT_EQ(own["requests"], scenario["requests"]);
            for (auto const* name : {"ttft", "tpot"}) {
                auto const values = own[name].get<std::vector<double>>();
                EXPECT_EQ(values.size(), own["requests"]);
                EXPECT_TRUE(std::ranges::is_sorted(values));
                EXPECT_GT(values.front(), 0.0);
            }
            EXPECT_EQ(own["waiting"].size(), own["running"].size());
            EXPECT_EQ(own["waiting"].back(), 0);
            EXPECT_EQ(own["running"].back(), 0);
            ASSERT_EQ(own["rates"].size(), 12U);
            int largest = 0;
            for (auto const& at : own["rates"]) {
                if (at[0] != own["max_rate"]) continue;
                ++largest;
                EXPECT_GE(at[2].get<double>(), scenario["share"].get<double>());
            }
            EXPECT_EQ(largest, 1) << "the largest rate is one of them";
        }
    }
}

TEST(ServiceFacts, choose_the_best_of_each_objective_and_others_between) {
    sample::TemporaryDirectory const directory;
    store::seal(directory / "run.h5", sample::columns(), sample::store(sample::results(0, 5000)), {});
    auto const file = store::load_result_file(directory / "run.h5");
    ASSERT_GT(file.front.size(), 20U);
    auto const chosen = chosen_members(file, 12);
    EXPECT_EQ(std::set<std::size_t>(chosen.begin(), chosen.end()).size(), 12U);
    for (auto const& objective : file.columns.objectives) {
        auto const loss = [&](PointId point) {
            double const value = file.store.value(*file.store.find({point, file.front_fidelity}), objective.metric);
            return objective.better == models::Sense::maximize ? -value : value;
        };
        double best = loss(file.front[chosen[0]]);
        for (auto const member : chosen) best = std::min(best, loss(file.front[member]));
        for (auto const point : file.front) EXPECT_LE(best, loss(point));
    }
    EXPECT_EQ(chosen_members(file, 1000000).size(), file.front.size());
    EXPECT_EQ(chosen_members(file, 1).size(), 1U);
}

TEST(Services, have_the_parameters_of_the_scheduler_in_files_commands_and_explanations) {
    sample::TemporaryDirectory const directory;
    auto const space = services();
    auto const file = sealed_services(directory);
    auto const columns = space.columns();
    ASSERT_EQ(file.columns.parameters.size(), columns.parameters.size());
    for (std::size_t p = 0; p < columns.parameters.size(); ++p)
        EXPECT_EQ(file.columns.parameters[p].name, columns.parameters[p].name);
    EXPECT_NE(space::replay_command(columns, {PointId{1}, models::Fidelity::analytic})
                  .find(" --set scheduler.policy=shortest_prompt"),
              std::string::npos);
    auto const explained = explanations_of(file, space, {.seconds = 1e3});
    EXPECT_EQ(explained.about["answered"], file.front.size());
    int groups = 0;
    for (auto const& one : explained.by_point) groups += one.contains("group") ? 1 : 0;
    EXPECT_GT(groups, 0);
}

constexpr std::string_view small_template =
    "<!doctype html><!-- pimdse report --><meta content=\"@POLICY@\"><title>@TITLE@</title><style>p{}</style>"
    "@DATA@<script id=\"program\">start()</script>";

TEST(Services, are_on_pages_of_spaces_with_traffic_alone) {
    sample::TemporaryDirectory const directory;
    PageSettings settings;
    settings.explanations.seconds = 1e-3;
    auto const space = services(), of_batches = dse::testing::small_space();
    auto const with = page_of(sealed_services(directory), &space, "", small_template, settings);
    EXPECT_NE(with.find("<script id=\"services\""), std::string::npos);
    auto const without =
        page_of(sealed(of_batches, evaluated(of_batches), directory), &of_batches, "", small_template, settings);
    EXPECT_EQ(without.find("<script id=\"services\""), std::string::npos);
    EXPECT_EQ(without.find("\"traffic\""), std::string::npos);
}

}  // namespace
}  // namespace pimdse::dse::report::service_facts_test
