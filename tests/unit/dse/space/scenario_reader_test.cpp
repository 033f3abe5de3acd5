#include "dse/space/scenario_reader.hpp"

#include "../small_space.hpp"
#include "dse/space/space_reader.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>

namespace pimdse::dse::space::scenario_reader_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::mistakes_of;

/// The scenarios begin in line 5.
std::string with(std::string const& scenarios) {
    return "schema = 2\narchitecture = \"upmem\"\nobjectives = [\"latency\"]\n\n" + scenarios;
}

std::vector<std::string> names_in(std::string const& scenarios) {
    std::vector<std::string> names;
    auto const space = parse_space(with(scenarios), "a.toml");
    for (auto const& scenario : space.machines()[0].scenarios.list()) names.push_back(scenario.written.name);
    return names;
}

TEST(ScenarioReader, makes_a_scenario_of_every_combination_of_lists) {
    EXPECT_THAT(names_in("[[scenario]]\nname = \"chat\"\nllm = \"opt-6.7b\"\ninput = 128\noutput = 64\n"),
                ElementsAre("chat"));
    EXPECT_THAT(names_in("[[scenario]]\nname = \"chat\"\nllm = \"opt-6.7b\"\ninput = [128, 256]\noutput = [1, 2, 3]\n"),
                ElementsAre("chat.128.1", "chat.128.2", "chat.128.3", "chat.256.1", "chat.256.2", "chat.256.3"));
    EXPECT_THAT(names_in("[[scenario]]\nname = \"chat\"\nllm = [\"opt-6.7b\"]\ninput = [128]\noutput = 1\n"),
                ElementsAre("chat"))
        << "a list of one says nothing that the name does not";
}

TEST(ScenarioReader, names_the_line_and_what_was_meant) {
    std::string const begin = "[[scenario]]\nname = \"chat\"\n";
    EXPECT_THAT(mistakes_of(with(begin + "inptu = 4\n")), ElementsAre(says("unknown-key-inptu-did")));
    EXPECT_THAT(mistakes_of(with(begin + "input = []\n")), ElementsAre(says("input-no-values")));
    EXPECT_THAT(mistakes_of(with(begin + "input = [[1]]\n")), ElementsAre(says("input-neither-number-nor")));
    EXPECT_THAT(mistakes_of(with("[[scenario]]\ninput = 4\n")), ::testing::Contains(says("name-missing")));
    EXPECT_THAT(mistakes_of(with("[scenario]\nname = \"chat\"\n")), ElementsAre(HasSubstr("[[scenario]] tables")));
    EXPECT_THAT(mistakes_of("scenario = [4]\n" + with("")), ElementsAre(says("scenario-table")));
    EXPECT_THAT(mistakes_of(with(begin + "precision = 65\n")), ElementsAre(says("bits")));
    EXPECT_THAT(mistakes_of(with(begin + "input = 4\n" + begin + "input = 5\n")),
                ElementsAre(says("two-scenarios-chat")));
    EXPECT_THAT(mistakes_of(with("[[scenario]]\nname = \"3d\"\ninput = 4\n")),
                ElementsAre(says("valid-scenario-name")));
}

TEST(ScenarioReader, tells_every_mistake_where_it_is_written_and_goes_on) {
    auto const mistakes = mistakes_of(
        with("[[scenario]]\nname = \"chat\"\ninput = \"4 ns\"\noutput = [1, \"x\"]\n[[scenario]]\nweight = 0\n"
             "llm = \"opt-6.8b\"\n[aggregate]\nlatency = \"worst\"\n[parameters]\ntaskelts = 3\n"
             "[search]\nstrategy = \"swep\"\n"));
    EXPECT_THAT(mistakes, ::testing::SizeIs(7));
    EXPECT_THAT(mistakes, list("seven-mistakes"));
}

TEST(ScenarioReader, leaves_alone_what_would_be_known_of_scenarios_without_mistakes) {
    auto const text = [](std::string const& output) {
        return "schema = 2\narchitecture = \"upmem\"\nobjectives = [\"latency\", \"energy@chat\"]\n[[scenario]]\n"
               "name = \"chat\"\nllm = \"opt-125m\"\noutput = " +
               output + "\n[[constraint]]\nname = \"soon\"\nexpr = \"latency@chat <= 1 s\"\n";
    };
    EXPECT_THAT(mistakes_of(text("4")), IsEmpty());
    EXPECT_THAT(mistakes_of(text("\"x\"")), ElementsAre(HasSubstr("bad.toml:7: ")));
}

TEST(ScenarioReader, weighs_by_what_is_above_nothing) {
    auto const of = [](std::string const& weight) {
        return mistakes_of(with("[[scenario]]\nname = \"chat\"\ninput = 4\nweight = " + weight + "\n"));
    };
    for (auto const* good : {"1", "0.25", "1e9"}) EXPECT_THAT(of(good), IsEmpty()) << good;
    for (auto const* wrong : {"0", "-1", "nan", "inf", "\"1\""}) EXPECT_FALSE(of(wrong).empty()) << wrong;
}

std::string numbers(int last) {
    std::string text;
    for (int i = 1; i <= last; ++i) text += fmt::format("{}{}", i == 1 ? "" : ", ", i);
    return "[" + text + "]";
}

TEST(ScenarioReader, takes_a_thousand_and_no_more) {
    std::string const begin = "[[scenario]]\nname = \"chat\"\n";
    EXPECT_EQ(names_in(begin + "input = " + numbers(40) + "\noutput = " + numbers(25) + "\n").size(), 1000U);
    EXPECT_THAT(mistakes_of(with(begin + "input = " + numbers(1001) + "\n")), ElementsAre(says("more-scenarios")));
    EXPECT_THAT(mistakes_of(with(begin + "input = " + numbers(1000) + "\noutput = " + numbers(200'000) + "\n")),
                ElementsAre(says("more-scenarios-2")))
        << "before they are made";
}

TEST(Aggregates, are_of_scenarios_and_of_metrics_that_are_there) {
    std::string const one = "[[scenario]]\nname = \"chat\"\ninput = 4\n";
    EXPECT_THAT(mistakes_of(with(one + "[aggregate]\nlatency = \"worst\"\n")), IsEmpty());
    EXPECT_THAT(mistakes_of(with("[aggregate]\nlatency = \"worst\"\n")),
                ElementsAre(HasSubstr("bad.toml:5: [aggregate] needs scenarios")));
    EXPECT_THAT(mistakes_of(with(one + "[aggregate]\nlatncy = \"worst\"\n")),
                ElementsAre(says("latncy-metric-upmem-did")));
    EXPECT_THAT(mistakes_of(with(one + "[aggregate]\nlatency = \"wrost\"\n")),
                ElementsAre(says("latency-unknown-aggregate-wrost")));
    EXPECT_THAT(mistakes_of(with(one + "[aggregate]\nlatency = 4\n")), ElementsAre(HasSubstr("unknown aggregate ''")));
    EXPECT_THAT(mistakes_of("aggregate = 4\n" + with(one)), ElementsAre(HasSubstr("[aggregate] must be a table")));
    EXPECT_THAT(mistakes_of("baseline = 4\n" + with(one)), ElementsAre(HasSubstr("[baseline] must be a table")));
    EXPECT_THAT(mistakes_of(with(one + "[baseline]\narchitecture = \"upmen\"\n")),
                ElementsAre(says("baseline-unknown-architecture-upmen")));
}

TEST(Scenarios, decide_what_nothing_else_may_say) {
    std::string const one = "[[scenario]]\nname = \"chat\"\ninput = 4\n";
    EXPECT_THAT(mistakes_of(with(one + "[parameters]\ninput = 8\n")), ElementsAre(says("input-set-scenarios")));
    EXPECT_THAT(mistakes_of(with(one), {{"input", "8"}}), ElementsAre(says("set-input-input-set")));
}

TEST(OwnFiles, begin_in_the_folder_of_the_space_however_deep_they_are_named) {
    auto content = toml::parse(R"(
objectives = ["./latency.toml"]
[parameters]
llm = ["./mine.toml", "opt-6.7b", { deep = "../up.toml" }]
absolute = "/there/mine.toml"
[[machine]]
parameters = { dram = "./x/../own.toml" }
)");
    make_files_absolute(content, "/home/spaces");
    EXPECT_EQ(content["parameters"]["llm"][0].value<std::string>(), "/home/spaces/mine.toml");
    EXPECT_EQ(content["parameters"]["llm"][1].value<std::string>(), "opt-6.7b");
    EXPECT_EQ(content["parameters"]["llm"][2]["deep"].value<std::string>(), "/home/up.toml");
    EXPECT_EQ(content["parameters"]["absolute"].value<std::string>(), "/there/mine.toml");
    EXPECT_EQ(content["machine"][0]["parameters"]["dram"].value<std::string>(), "/home/spaces/own.toml");
    EXPECT_EQ(content["objectives"][0].value<std::string>(), "./latency.toml") << "that is no parameter";
}

}  // namespace
}  // namespace pimdse::dse::space::scenario_reader_test
