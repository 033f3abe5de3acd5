#include "dse/base/thread_count.hpp"
#include "dse/run/chunk_runner.hpp"
#include "dse/run/liveness.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/result.hpp"
#include "dse/space/space_reader.hpp"
#include "tests/unit/dse/small_space.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <thread>

namespace pimdse::dse::run::local_transport_test {
namespace {

space::Batch run_of(std::uint64_t points) {
    return space::Batch::range(space::PointId{0}, points, models::Fidelity::analytic);
}

/// The results of one chunk, in the order of the points.
std::vector<space::Result> results_of(space::Space const& space, int threads, space::Batch const& tasks) {
    LocalTransport local(space, {.threads = threads});
    local.submit(0, {5, tasks});
    std::vector<space::Result> results;
    for (bool whole = false; !whole;) {
        auto event = local.poll();
        if (!event || event->kind != WorkerEvent::Kind::finished) continue;
        EXPECT_EQ(event->chunk.sequence, 5U);
        for (auto const& result : event->chunk.results)
            results.insert(results.end(), result.kept.begin(), result.kept.end());
        whole = event->chunk.whole;
    }
    std::sort(results.begin(), results.end(),
              [](space::Result const& a, space::Result const& b) { return a.task < b.task; });
    return results;
}

space::Bytes bytes_of(std::vector<space::Result> results) {
    for (auto& result : results) result.seconds = 0.0;
    space::Bytes bytes;
    encode(results, bytes);
    return bytes;
}

TEST(LocalTransport, gives_the_same_bits_on_any_number_of_threads) {
    auto const space = testing::small_space();
    auto const one = results_of(space, 1, run_of(space.size()));
    ASSERT_EQ(one.size(), space.size());
    for (int const threads : {2, 3, 4})
        EXPECT_EQ(bytes_of(results_of(space, threads, run_of(space.size()))), bytes_of(one));
}

TEST(LocalTransport, is_one_worker_that_says_nothing_while_it_holds_nothing) {
    auto const space = testing::small_space();
    LocalTransport local(space, {.threads = 2});
    EXPECT_EQ(local.workers(), std::vector<WorkerKey>{0});
    EXPECT_FALSE(local.poll().has_value()) << "it holds nothing: the loop knows without being told";
    local.supervise([](WorkerKey) { return false; });
    EXPECT_FALSE(local.poll().has_value());
}

TEST(LocalTransport, begins_no_point_after_a_recall) {
    auto const space = testing::small_space();
    LocalTransport local(space, {.threads = 2});
    local.recall();
    local.submit(0, {1, run_of(20)});
    std::optional<WorkerEvent> event;
    while (!(event = local.poll()) || event->kind != WorkerEvent::Kind::finished) std::this_thread::yield();
    EXPECT_TRUE(event->chunk.whole);
    EXPECT_EQ(event->chunk.evaluated, 0U);
}

FinishedChunk next_from(ChunkRunner& runner) {
    std::optional<FinishedChunk> finished;
    while (!(finished = runner.poll())) std::this_thread::yield();
    return *std::move(finished);
}

TEST(ChunkRunner, computes_beside_the_caller) {
    auto const space = testing::small_space();
    ChunkRunner runner(space, {.threads = 2});
    runner.submit({11, space::Batch::range(space::PointId{4}, 5, models::Fidelity::analytic)});
    std::vector<space::Result> results;
    for (bool whole = false; !whole;) {  // on a slow machine it comes in parts
        auto const finished = next_from(runner);
        EXPECT_EQ(finished.sequence, 11U);
        for (auto const& result : finished.results)
            results.insert(results.end(), result.kept.begin(), result.kept.end());
        whole = finished.whole;
    }
    ASSERT_EQ(results.size(), 5U);
    EXPECT_TRUE(
        std::any_of(results.begin(), results.end(), [](auto const& a) { return a.task.point == space::PointId{4}; }));
}

TEST(ChunkRunner, begins_no_point_after_a_recall) {
    auto const space = testing::small_space();
    ChunkRunner runner(space, {.threads = 2});
    runner.recall();
    runner.submit({1, run_of(20)});
    auto const finished = next_from(runner);
    EXPECT_TRUE(finished.whole);
    EXPECT_EQ(finished.evaluated, 0U);
    EXPECT_TRUE(finished.results.empty());
}

TEST(RunningTime, leaves_out_what_a_process_that_was_stopped_could_not_do) {
    run::RunningTime time;
    auto const begun = run::RunningTime::Clock::now();
    (void)time.turn(begun);
    double const before = time.seconds();
    EXPECT_EQ(time.turn(begun + std::chrono::milliseconds(500)), 0.0);
    EXPECT_DOUBLE_EQ(time.seconds() - before, 0.5);
    EXPECT_DOUBLE_EQ(time.turn(begun + std::chrono::milliseconds(100'500)), 100.0 - run::RunningTime::longest_turn);
    EXPECT_DOUBLE_EQ(time.seconds() - before, 0.5 + run::RunningTime::longest_turn);
}

TEST(Evaluation, evaluates_a_broken_condition_with_its_name_and_numbers) {
    auto const space = space::parse_space(
        "schema = 1\narchitecture = \"cim_mesh\"\nobjectives = [\"latency\"]\n[[constraint]]\nname = "
        "\"impossible\"\nexpr = \"latency <= 1 ns\"\n",
        "t", {});
    auto const result = evaluate(space, {space::PointId{0}, models::Fidelity::analytic});
    auto const* infeasible = std::get_if<models::Infeasible>(&result.outcome);
    ASSERT_NE(infeasible, nullptr);
    EXPECT_EQ(infeasible->rule, "impossible");
    EXPECT_NE(infeasible->reason.find("latency ="), std::string::npos);
}

TEST(ThreadCount, listens_to_the_flag_then_to_the_environment) {
    ASSERT_EQ(::setenv("PIMDSE_THREADS", "3", 1), 0);
    ASSERT_EQ(::setenv("SLURM_CPUS_PER_TASK", "5", 1), 0);
    EXPECT_EQ(base::thread_count(7), 7);
    EXPECT_EQ(base::thread_count(0), 3);
    ::unsetenv("PIMDSE_THREADS");
    EXPECT_EQ(base::thread_count(0), 5);
    ::unsetenv("SLURM_CPUS_PER_TASK");
    EXPECT_GE(base::thread_count(0), 1);
}

}  // namespace
}  // namespace pimdse::dse::run::local_transport_test
