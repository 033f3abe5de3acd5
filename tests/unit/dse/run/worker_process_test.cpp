#include "dse/run/worker_process.hpp"
#include "dse/run/evaluation.hpp"
#include "dse/space/result.hpp"
#include "dse/space/space_reader.hpp"
#include "tests/unit/models/text/folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace pimdse::dse::run::worker_process_test {
namespace {

space::Space bench(std::string const& trouble = "none", std::uint64_t at = 0, std::string const& cost = "0 s") {
    return space::parse_space(fmt::format("schema = 1\narchitecture = \"workbench\"\nobjectives = "
                                          "[\"latency\"]\n[parameters]\nx = {{ from = 0, to = 99999 }}\n"
                                          "trouble = \"{}\"\ntrouble_at = {}\ncost = \"{}\"\n",
                                          trouble, at, cost),
                              "bench.toml", {});
}

WorkerProcess::Settings child(double seconds_per_point = 60.0) {
    return {{ANSWERING_CHILD}, "bench.toml", {}, seconds_per_point};
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

/// Evaluates `parts` runs of `points` ids, each on a thread of its own, and joins what they say.
std::vector<space::Result> by_threads(WorkerProcess& worker, std::uint64_t parts, std::uint64_t points) {
    std::vector<std::vector<space::Result>> found(parts);
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t i = 0; i < parts; ++i)
            threads.emplace_back([&, i] { found[i] = worker.evaluate(run(i * points, points)); });
    }
    std::vector<space::Result> all;
    for (auto& part : found) all.insert(all.end(), part.begin(), part.end());
    return all;
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

TEST(WorkerProcess, says_what_the_points_say_where_they_are) {
    auto const space = bench();
    WorkerProcess worker(space, child(), 3);
    EXPECT_EQ(content(worker.evaluate(run(7, 20000))), content(in_place(space, run(7, 20000))));
    auto const list =
        space::Batch::list({space::PointId{5}, space::PointId{3}, space::PointId{70000}}, models::Fidelity::analytic);
    EXPECT_EQ(content(worker.evaluate(list)), content(in_place(space, list)));
    EXPECT_EQ(content(by_threads(worker, 3, 5000)), content(in_place(space, run(0, 15000))));
}

TEST(WorkerProcess, keeps_one_process_until_it_may_rest) {
    auto const space = bench();
    WorkerProcess worker(space, child(), 2);
    EXPECT_TRUE(children().empty());
    (void)worker.evaluate(run(0, 10));
    auto const first = children();
    ASSERT_EQ(first.size(), 1U);
    (void)by_threads(worker, 2, 10);
    EXPECT_EQ(children(), first);
    worker.release_process();
    EXPECT_TRUE(children().empty());
    EXPECT_EQ(worker.evaluate(run(0, 10)).size(), 10U);
}

class WorkerProcessTrouble : public ::testing::TestWithParam<char const*> {};

TEST_P(WorkerProcessTrouble, is_held_against_the_point_that_makes_it_and_against_no_other) {
    auto const space = bench(GetParam(), 450, "0.2 ms");
    WorkerProcess worker(space, child(), 3);
    auto const results = by_threads(worker, 3, 300);
    EXPECT_EQ(failures(results),
              (std::vector{std::pair<std::uint64_t, models::DefectKind>{450, models::DefectKind::crash}}));
    auto others = results;
    others.erase(others.begin() + 450);
    auto expected = in_place(bench(), run(0, 450));
    auto const behind = in_place(bench(), run(451, 449));
    expected.insert(expected.end(), behind.begin(), behind.end());
    EXPECT_EQ(content(others), content(expected));
    EXPECT_EQ(worker.evaluate(run(0, 10)).size(), 10U) << "and it goes on";
}

INSTANTIATE_TEST_SUITE_P(Kinds, WorkerProcessTrouble, ::testing::Values("crash", "exit", "kill"));

TEST(WorkerProcess, ends_a_point_that_hangs_behind_many_quick_ones) {
    auto const space = bench("hang", 1500);
    WorkerProcess worker(space, child(1.0), 2);
    auto const results = by_threads(worker, 2, 1000);
    EXPECT_EQ(failures(results),
              (std::vector{std::pair<std::uint64_t, models::DefectKind>{1500, models::DefectKind::timeout}}));
    EXPECT_EQ(results[1500].seconds, 1.0);
    EXPECT_EQ(results.size(), 2000U);
}

TEST(WorkerProcess, blames_nobody_when_it_is_killed_from_outside) {
    auto const space = bench("none", 0, "2 ms");
    WorkerProcess worker(space, child(), 2);
    std::vector<space::Result> results;
    int killed = 0;
    {
        std::jthread const asking([&] { results = by_threads(worker, 2, 200); });
        for (int turn = 0; turn < 2; ++turn) {  // the shared process, then those that work alone
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
            while (turn == 0 && children().empty()) std::this_thread::yield();
            for (pid_t const process : children()) killed += ::kill(process, SIGKILL) == 0 ? 1 : 0;
        }
    }
    EXPECT_GE(killed, 1);
    EXPECT_TRUE(failures(results).empty());
    EXPECT_EQ(content(results), content(in_place(space, run(0, 400))));
}

TEST(WorkerProcess, evaluates_where_it_is_when_no_process_can_be_started) {
    auto const space = bench();
    for (auto const& command : {std::vector<std::string>{}, {"/no/such/program"}, {"/bin/false"}}) {
        auto how = child();
        how.command = command;
        EXPECT_EQ(content(WorkerProcess(space, how, 2).evaluate(run(0, 50))), content(in_place(space, run(0, 50))));
    }
}

/// The process would read a machine whose file has changed since this one read it.
TEST(WorkerProcess, is_not_used_with_other_inputs_than_those_of_its_parent) {
    auto const folder = std::filesystem::temp_directory_path() / fmt::format("pimdse_worker_{}", ::getpid());
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "card.toml") << models::text::test::machine_text("card");
    auto how = child();
    how.space_name = (folder / "bench.toml").string();
    auto const space = space::parse_space(
        "schema = 2\nobjectives = [\"latency\"]\n[[machine]]\narchitecture = \"workbench\"\n[machine.parameters]\nx = "
        "{ from = 0, to = 99 }\n[[machine]]\narchitecture = \"./card.toml\"\n",
        how.space_name, {});
    WorkerProcess worker(space, how, 1);
    auto const expected = content(in_place(space, run(0, 101)));
    EXPECT_EQ(content(worker.evaluate(run(0, 101))), expected);
    EXPECT_EQ(children().size(), 1U);
    worker.release_process();
    std::ofstream(folder / "card.toml", std::ios::app) << "# another text\n";
    EXPECT_EQ(content(worker.evaluate(run(0, 101))), expected);
    EXPECT_TRUE(children().empty()) << "points were evaluated in this process";
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pimdse::dse::run::worker_process_test
