#include "dse/space/space_reader.hpp"

#include "../small_space.hpp"
#include "sim/base/file_error.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::dse::space::space_reader_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::mistakes_of;
using ::testing::StartsWith;

/// A space of UPMEM with something more in its file, and something instead of its head.
std::string upmem(std::string const& more = "", std::string const& head = "") {
    std::string const usual = "schema = 2\narchitecture = \"upmem\"\nobjectives = [\"latency\"]\n";
    return (head.empty() ? usual : head) + "[parameters]\ntasklets = [4, 8, 16]\n" + more;
}

TEST(SpaceFile, counts_the_lines_of_its_mistakes) {
    EXPECT_THAT(mistakes_of(upmem("taslets = 4\n")), ElementsAre(says("unknown-parameter-taslets-upmem")));
    EXPECT_THAT(mistakes_of(upmem("\n\nstreams = 1.5\n")), ElementsAre(HasSubstr("bad.toml:8: ")));
    EXPECT_THAT(mistakes_of(upmem("[serach]\nbudget = 3\n")), ElementsAre(says("unknown-key-serach-did")));
    EXPECT_THAT(mistakes_of(upmem() + "tasklets = [\n"), ElementsAre(says("toml")));
}

TEST(SpaceFile, refuses_metrics_that_apply_to_no_point) {
    std::string const rates =
        "schema = 2\narchitecture = \"upmem\"\nobjectives = [\"latency\", \"tokens_per_second\"]\n";
    EXPECT_THAT(mistakes_of(upmem("", rates)), ElementsAre(says("tokens_per_second-apply")));
    std::string const served = "scope = [\"kernel\", \"end_to_end\"]\nllm = [\"none\", \"opt-125m\"]\n";
    EXPECT_THAT(mistakes_of(upmem(served, rates)), IsEmpty());
    EXPECT_THAT(mistakes_of(upmem("[[constraint]]\nname = \"a\"\nexpr = \"ttft < 1 s\"\n")),
                ElementsAre(says("ttft-apply")));
    EXPECT_THAT(mistakes_of(upmem(served + "output = 1\n[[constraint]]\nname = \"a\"\nexpr = \"itl < 1 s\"\n")),
                ElementsAre(HasSubstr("output > 1")));
    EXPECT_THAT(mistakes_of(upmem(served + "output = [1, 2]\n[[constraint]]\nname = \"a\"\nexpr = \"itl < 1 s\"\n")),
                IsEmpty());
}

TEST(SpaceFile, refuses_metrics_that_do_not_apply_in_a_scenario) {
    std::string const head = "schema = 2\narchitecture = \"upmem\"\nobjectives = [\"itl\"]\n";
    auto const asking = [](char const* output) {
        return fmt::format("[[scenario]]\nname = \"s\"\nllm = \"opt-125m\"\noutput = {}\n[aggregate]\nitl = \"mean\"\n",
                           output);
    };
    EXPECT_THAT(mistakes_of(upmem(asking("[2, 3]"), head)), IsEmpty());
    EXPECT_THAT(mistakes_of(upmem(asking("[1, 3]"), head)), list("itl-of-one-token"));
}

TEST(SpaceFile, tells_all_its_mistakes_at_once) {
    auto const mistakes =
        mistakes_of(upmem("streams = \"x\"\n[search]\nbudget = -1\nseed = 1.5\nfidelity = \"fine\"\n"
                          "[[constraint]]\nname = \"a\"\nexpr = \"latncy < 1 s\"\n"));
    ASSERT_EQ(mistakes.size(), 5U) << fmt::format("{}", fmt::join(mistakes, "\n"));
    EXPECT_THAT(mistakes,
                ElementsAre(StartsWith("bad.toml:6: "), StartsWith("bad.toml:8: "), StartsWith("bad.toml:9: "),
                            StartsWith("bad.toml:10: "), StartsWith("bad.toml:13: ")));
}

TEST(SpaceFile, of_a_nameless_architecture_is_refused_in_a_sentence) {
    auto const unnamed = mistakes_of(upmem("", "objectives = [\"latency\"]\narchitecture = \"\"\n"));
    EXPECT_THAT(unnamed, ElementsAre(says("unknown-architecture")));
    EXPECT_THAT(mistakes_of(upmem("", "objectives = [\"latency\"]\n")), ElementsAre(says("architecture-missing")));
    EXPECT_THAT(mistakes_of(upmem("", "objectives = [\"latency\"]\narchitecture = 4\n")),
                ElementsAre(says("architecture-text-quotes")));
    EXPECT_THAT(mistakes_of(upmem("", "objectives = [\"latency\"]\narchitecture = \"upmen\"\n")),
                ElementsAre(says("did-you-mean-upmem")));
}

TEST(SpaceFile, of_a_nameless_machine_among_others_is_refused_in_a_sentence) {
    auto const mistakes = mistakes_of(R"(schema = 2
objectives = ["latency"]
[[machine]]
architecture = ""
[machine.parameters]
tasklets = 4
[[machine]]
architecture = "upmem"
[machine.parameters]
tasklets = 8
)");
    EXPECT_THAT(mistakes, ElementsAre(says("unknown-architecture-2")));
}

TEST(SpaceFile, tells_constraints_apart_by_name) {
    std::string const one = "[[constraint]]\nname = \"a\"\nexpr = \"tasklets <= 8\"\n";
    std::string const other = "[[constraint]]\nname = \"b\"\nexpr = \"tasklets <= 4\"\n";
    EXPECT_THAT(mistakes_of(upmem(one + other)), IsEmpty());
    EXPECT_THAT(mistakes_of(upmem(one + other + one)), ElementsAre(says("two-constraints-called")));
}

TEST(SpaceFile, takes_no_constraint_for_nothing) {
    EXPECT_THAT(mistakes_of("constraint = [\"tasklets <= 8\"]\n" + upmem()),
                ElementsAre(HasSubstr("bad.toml:1: constraints must be [[constraint]] tables")));
    EXPECT_THAT(mistakes_of("constraint = \"tasklets <= 8\"\n" + upmem()),
                ElementsAre(HasSubstr("bad.toml:1: constraints must be [[constraint]] tables")));
    EXPECT_THAT(mistakes_of(upmem("[[constraint]]\nname = \"a\"\nexpr = \"\"\n")),
                ElementsAre(HasSubstr("bad.toml:8: ")));
    EXPECT_THAT(mistakes_of(upmem("[[constraint]]\nexpr = \"tasklets <= 8\"\n")), ElementsAre(says("name-missing")));
    EXPECT_THAT(mistakes_of(upmem("[[constraint]]\nname = \"a\"\n")), ElementsAre(says("expr-missing")));
    EXPECT_THAT(mistakes_of(upmem("[[constraint]]\nname = \"a\"\nexpr = \"tasklets <= 8\"\n")), IsEmpty());
}

TEST(SpaceFile, has_one_to_six_objectives_that_its_machine_knows) {
    auto const with = [](std::string const& objectives) {
        return mistakes_of(upmem("", "architecture = \"upmem\"\n" + objectives + "\n"));
    };
    EXPECT_THAT(with("objectives = [\"latency\", \"energy\"]"), IsEmpty());
    EXPECT_THAT(with(""), ElementsAre(says("one-six-metrics")));
    EXPECT_THAT(with("objectives = []"), ElementsAre(says("one-six-metrics-2")));
    EXPECT_THAT(with("objectives = [\"latency\", \"latency\"]"), ElementsAre(says("objective-latency-given-twice")));
    EXPECT_THAT(with("objectives = [\"latncy\"]"), ElementsAre(says("did-you-mean-latency")));
    for (auto const* no_list : {"[3]", "\"latency\"", "3", "{ latency = 1 }"})
        EXPECT_THAT(with(fmt::format("objectives = {}", no_list)), ElementsAre(says("objectives-list-one-six")))
            << no_list;
}

TEST(SpaceFile, is_of_a_schema_and_says_what_belongs_elsewhere) {
    EXPECT_THAT(mistakes_of("schema = 3\n" + upmem("", "architecture = \"upmem\"\nobjectives = [\"latency\"]\n")),
                ElementsAre(says("schema-neither-nor")));
    EXPECT_THAT(mistakes_of("budget = 3\n" + upmem()), ElementsAre("bad.toml:1: 'budget' belongs in [search]"));
    EXPECT_THAT(mistakes_of("tasklets = 3\n" + upmem()), ElementsAre("bad.toml:1: 'tasklets' belongs in [parameters]"));
    EXPECT_THAT(mistakes_of("schema = 2\narchitecture = \"umdam\"\nobjectives = [\"latency\"]\n[[scenario]]\n"
                            "name = \"a\"\nllm = \"opt-6.7b\"\n[baseline]\nbaseline = \"relayout\"\n"),
                IsEmpty())
        << "a table whose name is that of a parameter, too";
    EXPECT_THAT(mistakes_of("search = 3\n" + upmem()), ElementsAre(says("search-table")));
    EXPECT_THAT(mistakes_of("workload = [1]\n" + upmem()), ElementsAre(says("workload-table")));
    EXPECT_THAT(mistakes_of("workload = { inptu = 3 }\n" + upmem()), ElementsAre(says("unknown-key-inptu-workload")));
    EXPECT_THAT(mistakes_of("workload = { input = 3 }\n" + upmem("input = 4\n")),
                ElementsAre(says("input-given-twice")));
    EXPECT_THAT(mistakes_of("workload = { input = 3 }\n" + upmem("prefill = 4\n")),
                ElementsAre(says("prefill-given-twice")));
}

TEST(SearchSettings, are_counts_and_names_within_reason) {
    auto const with = [](std::string const& settings) { return mistakes_of(upmem("[search]\n" + settings + "\n")); };
    EXPECT_THAT(with("budget = -1"), ElementsAre(says("budget-negative-count")));
    EXPECT_THAT(with("budget = 1.5"), ElementsAre(says("budget-whole-number")));
    EXPECT_THAT(with("seed = 1e300"), ElementsAre(says("seed-whole-number")));
    EXPECT_THAT(with("strategy = \"sobl\""), ElementsAre(says("did-you-mean-sobol")));
    EXPECT_THAT(with("keep = \"fronts\""), ElementsAre(says("did-you-mean-front")));
    EXPECT_THAT(with("fidelity = \"cycles\""), ElementsAre(says("did-you-mean-cycle")));
    EXPECT_THAT(with("budgte = 3"), ElementsAre(says("unknown-key-budgte-did")));
    for (auto const* epsilon : {"nan", "inf", "-0.1", "\"0.1\""})
        EXPECT_EQ(with(fmt::format("strategy = \"ladder\"\nepsilon = {}", epsilon)).size(), 1U) << epsilon;
    auto const space = parse_space(
        upmem("[search]\nstrategy = \"sobol\"\nbudget = 7.0\nseed = 9223372036854775807\nfidelity = \"cycle\"\n"),
        "a.toml");
    EXPECT_EQ(space.search().strategy, "sobol");
    EXPECT_EQ(space.search().budget, 7U);
    EXPECT_EQ(space.search().seed, 9223372036854775807U);
    EXPECT_EQ(space.search().fidelity, models::Fidelity::cycle);
}

std::vector<std::string> values_of(space::Space const& space, std::string const& parameter) {
    auto const& machine = space.machines()[0];
    auto const at = static_cast<std::size_t>(models::find_parameter(machine.parameters(), parameter));
    std::vector<std::string> texts;
    for (std::uint64_t i = 0; i < machine.axes[at].size(); ++i)
        texts.push_back(fmt::format("{}", machine.axes[at].at(i).as_integer()));
    return texts;
}

TEST(Overrides, are_toml_where_they_are_and_replace_what_the_file_says) {
    auto const with = [](std::string const& text) {
        return values_of(parse_space(upmem(), "a.toml", {{"tasklets", text}}), "tasklets");
    };
    EXPECT_THAT(with("12"), ElementsAre("12"));
    EXPECT_THAT(with("[2, 3]"), ElementsAre("2", "3"));
    EXPECT_THAT(with("{ from = 1, to = 3 }"), ElementsAre("1", "2", "3"));
    auto const twice = parse_space(upmem(), "a.toml", {{"tasklets", "1"}, {"tasklets", "2"}});
    EXPECT_THAT(values_of(twice, "tasklets"), ElementsAre("2")) << "the last word counts";
}

TEST(Overrides, name_their_flag_in_their_mistakes) {
    auto const with = [](Override const& change) { return mistakes_of(upmem(), {change}); };
    EXPECT_THAT(with({"taslets", "4"}), ElementsAre(says("set-taslets-unknown-parameter")));
    EXPECT_THAT(with({"tasklets", "[]"}), ElementsAre(says("set-tasklets-tasklets-empty")));
    EXPECT_THAT(with({"tasklets", ""}), ElementsAre(HasSubstr("--set tasklets: ")));
    EXPECT_THAT(with({"tasklets", "many"}), ElementsAre(HasSubstr("many")));
}

TEST(Overrides, take_the_remark_on_a_range_with_the_range) {
    std::string const text =
        "schema = 2\narchitecture = \"upmem\"\nobjectives = [\"latency\"]\n"
        "[parameters]\ntasklets = { from = 1, to = 10, step = 4 }\n";
    EXPECT_THAT(parse_space(text, "a.toml").remarks(),
                ElementsAre("a.toml:5: tasklets ends at 9, because its range does not meet 'to' = 10"));
    EXPECT_THAT(parse_space(text, "a.toml", {{"tasklets", "4"}}).remarks(), IsEmpty());
    EXPECT_THAT(parse_space(text, "a.toml", {{"tasklets", "{ from = 1, to = 4, step = 2 }"}}).remarks(),
                ElementsAre("--set tasklets: tasklets ends at 3, because its range does not meet 'to' = 4"));
}

TEST(Overrides, of_one_of_several_machines_say_of_which) {
    std::string const text =
        "schema = 2\nobjectives = [\"latency\"]\n"
        "[[machine]]\nname = \"small\"\narchitecture = \"upmem\"\n[machine.parameters]\ntasklets = 4\n"
        "[[machine]]\nname = \"large\"\narchitecture = \"upmem\"\n[machine.parameters]\ntasklets = 16\n";
    EXPECT_THAT(values_of(parse_space(text, "a.toml", {{"small.tasklets", "5"}}), "tasklets"), ElementsAre("5"));
    EXPECT_THAT(values_of(parse_space(text, "a.toml", {{"large.tasklets", "5"}}), "tasklets"), ElementsAre("4"));
    EXPECT_THAT(mistakes_of(text, {{"tasklets", "5"}}),
                ElementsAre("--set tasklets: name the machine, as in --set small.tasklets=... (machines: small, "
                            "large)"));
    EXPECT_THAT(mistakes_of(text, {{"huge.tasklets", "5"}}), ElementsAre(says("machines-small-large")));
}

TEST(SpaceText, is_of_a_file_that_is_there) {
    EXPECT_THROW((void)read_space_text("/nowhere/a.toml"), sim::MissingInput);
}

}  // namespace
}  // namespace pimdse::dse::space::space_reader_test
