#include "dse/run/isolation.hpp"

#include "dse/space/evaluation.hpp"
#include "dse/space/result.hpp"
#include "dse/space/search_settings.hpp"
#include "dse/space/space_reader.hpp"
#include "tests/unit/models/text/folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>

namespace pimdse::dse::run::isolation_test {
namespace {

space::Space bench(std::string const& trouble = "none", std::uint64_t at = 0, std::string const& cost = "0 s") {
    return space::parse_space(fmt::format("schema = 1\narchitecture = \"workbench\"\nobjectives = "
                                          "[\"latency\"]\n[parameters]\nx = {{ from = 0, to = 99999 }}\n"
                                          "trouble = \"{}\"\ntrouble_at = {}\ncost = \"{}\"\n",
                                          trouble, at, cost),
                              "bench.toml", {});
}

/// Points are evaluated by the real program with the workbench among its machines.
WorkSettings apart(double seconds_per_point = 60.0, std::string const& name = "bench.toml") {
    WorkSettings settings;
    settings.point_seconds = seconds_per_point;
    settings.child = {WORKBENCH_PROGRAM, "evaluate-apart", name};
    return settings;
}

space::Batch run(std::uint64_t first, std::uint64_t count) {
    return space::Batch::range(space::PointId{first}, count, models::Fidelity::analytic);
}

/// The results without what they took.
space::Bytes content(std::vector<space::Result> results) {
    for (auto& result : results) result.seconds = 0.0;
    space::Bytes bytes;
    encode(results, bytes);
    return bytes;
}

std::vector<space::Result> in_place(space::Space const& space, space::Batch const& batch) {
    std::vector<space::Result> results;
    for (std::uint64_t i = 0; i < batch.size(); ++i) results.push_back(evaluate(space, batch.task(i)));
    return results;
}

std::vector<space::Result> evaluated(space::Space const& space, WorkSettings const& settings,
                                     space::Batch const& batch) {
    std::vector<space::Result> results;
    evaluate_apart(space, settings, batch, [&](space::Result result) {
        results.push_back(std::move(result));
        return true;
    });
    return results;
}

std::vector<std::pair<std::uint64_t, models::DefectKind>> failures(std::vector<space::Result> const& results) {
    std::vector<std::pair<std::uint64_t, models::DefectKind>> list;
    for (auto const& result : results) {
        if (auto const* defect = std::get_if<models::Defect>(&result.outcome))
            list.emplace_back(index_of(result.task.point), defect->kind);
    }
    return list;
}

std::vector<pid_t> children() {
    std::vector<pid_t> all;
    for (auto const& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream list(thread.path() / "children");
        for (pid_t child = 0; list >> child;) all.push_back(child);
    }
    return all;
}

TEST(Isolation, gives_the_results_that_this_process_has) {
    auto const space = bench();
    auto const settings = apart();
    EXPECT_EQ(content(evaluated(space, settings, run(7, 20000))), content(in_place(space, run(7, 20000))));
    auto const list =
        space::Batch::list({space::PointId{5}, space::PointId{3}, space::PointId{70000}}, models::Fidelity::cycle);
    EXPECT_EQ(content(evaluated(space, settings, list)), content(in_place(space, list)));
    EXPECT_TRUE(evaluated(space, settings, run(0, 0)).empty());
    EXPECT_TRUE(children().empty());
}

TEST(Isolation, reads_the_space_with_its_overrides_and_objectives) {
    auto const text =
        "schema = 1\narchitecture = \"workbench\"\nobjectives = [\"latency\"]\n[parameters]\nx = 3\ny "
        "= [1, 2]\n";
    auto space = space::parse_space(text, "bench.toml", {{"x", "4"}});
    auto settings = apart();
    settings.child.emplace_back("x=4");
    for (char const* objective : {"energy", "minimize latency / (energy - energy)"}) {
        space.set_objectives(space::parse_objectives(space.plain_metrics(), {objective}));
        auto const found = evaluated(space, settings, run(0, 2));
        ASSERT_EQ(found.size(), 2U);
        EXPECT_EQ(std::holds_alternative<models::Infeasible>(found[0].outcome), objective != std::string("energy"));
        EXPECT_EQ(content(found), content(in_place(space, run(0, 2)))) << objective;
    }
}

class IsolationTrouble : public ::testing::TestWithParam<char const*> {};

TEST_P(IsolationTrouble, is_held_against_the_point_that_makes_it_and_against_no_other) {
    auto const space = bench(GetParam(), 150);
    auto const results = evaluated(space, apart(), run(0, 300));
    EXPECT_EQ(failures(results),
              (std::vector{std::pair<std::uint64_t, models::DefectKind>{150, models::DefectKind::crash}}));
    auto others = results;
    others.erase(others.begin() + 150);
    auto expected = in_place(bench(), run(0, 150));
    auto const behind = in_place(bench(), run(151, 149));
    expected.insert(expected.end(), behind.begin(), behind.end());
    EXPECT_EQ(content(others), content(expected));
}

INSTANTIATE_TEST_SUITE_P(Kinds, IsolationTrouble, ::testing::Values("crash", "exit", "kill"));

TEST(Isolation, ends_a_point_that_hangs_behind_many_quick_ones) {
    auto const space = bench("hang", 1500);
    auto const results = evaluated(space, apart(1.0), run(0, 2000));
    EXPECT_EQ(failures(results),
              (std::vector{std::pair<std::uint64_t, models::DefectKind>{1500, models::DefectKind::timeout}}));
    EXPECT_EQ(results[1500].seconds, 1.0);
    EXPECT_EQ(results.size(), 2000U);
}

TEST(Isolation, blames_no_point_if_the_child_is_killed_from_outside) {
    auto const space = bench("none", 0, "5 ms");
    std::vector<space::Result> results;
    int killed = 0;
    evaluate_apart(space, apart(), run(0, 60), [&](space::Result result) {
        results.push_back(std::move(result));
        if (results.size() % 20 == 5)
            for (pid_t const process : children()) killed += ::kill(process, SIGKILL) == 0 ? 1 : 0;
        return true;
    });
    EXPECT_EQ(killed, 3);
    EXPECT_TRUE(failures(results).empty());
    EXPECT_EQ(content(results), content(in_place(space, run(0, 60))));
}

TEST(Isolation, stops_when_it_is_told_to) {
    auto const space = bench("hang", 3);  // no result ever follows that of point 2
    std::uint64_t count = 0;
    evaluate_apart(space, apart(), run(0, 100), [&](space::Result const& result) {
        EXPECT_EQ(result.task.point, space::PointId{count});
        return ++count < 3;
    });
    EXPECT_EQ(count, 3U);
    EXPECT_TRUE(children().empty());
}

TEST(Isolation, evaluates_in_this_process_if_no_child_can_be_started) {
    auto const space = bench();
    for (auto const& command : {std::vector<std::string>{}, {"/no/such/program"}, {"/bin/false"}}) {
        auto settings = apart();
        settings.child = command;
        EXPECT_EQ(content(evaluated(space, settings, run(0, 50))), content(in_place(space, run(0, 50))));
    }
}

/// A machine whose file has changed since this process read it.
TEST(Isolation, does_not_use_a_child_that_reads_other_inputs) {
    auto const folder = std::filesystem::temp_directory_path() / fmt::format("pimdse_isolation_{}", ::getpid());
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "card.toml") << models::text::test::machine_text("card");
    auto const name = (folder / "bench.toml").string();
    auto const space = space::parse_space(
        "schema = 2\nobjectives = [\"latency\"]\n[[machine]]\narchitecture = \"workbench\"\n[machine.parameters]\nx = "
        "{ from = 0, to = 99 }\n[[machine]]\narchitecture = \"./card.toml\"\n",
        name, {});
    auto const expected = content(in_place(space, run(0, 101)));
    std::size_t in_children = 0;
    auto const count_children = [&](space::Result const&) {
        in_children += children().size();
        return true;
    };
    EXPECT_EQ(content(evaluated(space, apart(60.0, name), run(0, 101))), expected);
    evaluate_apart(space, apart(60.0, name), run(0, 101), count_children);
    EXPECT_GT(std::exchange(in_children, 0), 0U);
    std::ofstream(folder / "card.toml", std::ios::app) << "# another text\n";
    EXPECT_EQ(content(evaluated(space, apart(60.0, name), run(0, 101))), expected);
    evaluate_apart(space, apart(60.0, name), run(0, 101), count_children);
    EXPECT_EQ(in_children, 0U) << "points were evaluated in this process";
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pimdse::dse::run::isolation_test
