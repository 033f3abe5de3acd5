#include "dse/run/pool.hpp"
#include "dse/run/chunk_runner.hpp"
#include "dse/run/coordinator.hpp"
#include "dse/run/evaluation.hpp"
#include "dse/run/liveness.hpp"
#include "dse/run/thread_count.hpp"
#include "dse/space/answer.hpp"
#include "dse/space/space_reader.hpp"
#include "tests/unit/dse/small_space.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace pimdse::dse::run {
namespace {

/// The work of one batch; answers are collected.
class OneBatch {
  public:
    explicit OneBatch(space::Batch batch) : batch_(std::move(batch)) {
        work.more = [this](std::uint64_t most) -> std::optional<space::Batch> {
            if (at_ == batch_.size()) return std::nullopt;
            std::uint64_t const count = std::min(most, batch_.size() - at_);
            at_ += count;
            return batch_.part(at_ - count, count);
        };
        work.left = [this] { return batch_.size() - at_; };
        work.started = [](space::Batch const&) {};
        work.arrived = [this](Findings&& findings) {
            answers.insert(answers.end(), findings.kept.begin(), findings.kept.end());
        };
    }
    Work work;
    std::vector<space::Answer> answers;

  private:
    space::Batch batch_;
    std::uint64_t at_ = 0;
};

space::Batch run_of(std::uint64_t points) {
    return space::Batch::range(space::PointId{0}, points, models::Fidelity::analytic);
}

std::vector<space::Answer> answers_of(Pool& pool, space::Batch const& batch) {
    OneBatch all(batch);
    pool.evaluate(all.work, {});
    std::sort(all.answers.begin(), all.answers.end(),
              [](space::Answer const& a, space::Answer const& b) { return a.task < b.task; });
    return all.answers;
}

space::Bytes bytes_of(std::vector<space::Answer> answers) {
    for (auto& answer : answers) answer.seconds = 0.0;
    space::Bytes bytes;
    encode(answers, bytes);
    return bytes;
}

TEST(Pool, gives_the_same_bits_on_any_number_of_threads) {
    auto const space = testing::small_space();
    auto const one = answers_of(*run::make_thread_pool(space, {.threads = 1}), run_of(space.size()));
    ASSERT_EQ(one.size(), space.size());
    for (int const threads : {2, 3, 4})
        EXPECT_EQ(bytes_of(answers_of(*run::make_thread_pool(space, {.threads = threads}), run_of(space.size()))),
                  bytes_of(one));
}

TEST(Pool, begins_nothing_more_after_a_stop_and_delivers_what_is_answered) {
    auto const space = testing::small_space();
    auto const pool = run::make_thread_pool(space, {.threads = 2});
    std::stop_source stop;
    OneBatch all(run_of(space.size()));
    std::uint64_t begun = 0;
    all.work.started = [&](space::Batch const& tasks) {
        begun += tasks.size();
        stop.request_stop();
    };
    pool->evaluate(all.work, stop.get_token());
    EXPECT_LE(all.answers.size(), begun);
    EXPECT_LT(begun, space.size());
}

TEST(Pool, passes_on_what_the_listener_throws) {
    auto const space = testing::small_space();
    auto const pool = run::make_thread_pool(space, {.threads = 2});
    OneBatch all(run_of(10));
    all.work.arrived = [](Findings&&) { throw std::runtime_error("disk full"); };
    EXPECT_THROW(pool->evaluate(all.work, {}), std::runtime_error);
}

TEST(Pool, names_the_tasks_it_begins_before_they_are_done) {
    auto const space = testing::small_space();
    std::uint64_t begun = 0, done = 0;
    OneBatch all(run_of(space.size()));
    all.work.started = [&](space::Batch const& tasks) {
        EXPECT_EQ(index_of(tasks.task(0).point), begun);
        begun += tasks.size();
    };
    all.work.arrived = [&](Findings&& findings) {
        done += findings.points;
        EXPECT_LE(done, begun);
    };
    run::make_thread_pool(space, {.threads = 2})->evaluate(all.work, {});
    EXPECT_EQ(begun, space.size());
    EXPECT_EQ(done, space.size());
}

FinishedChunk next_from(ChunkRunner& runner) {
    std::optional<FinishedChunk> finished;
    while (!(finished = runner.poll())) std::this_thread::yield();
    return *std::move(finished);
}

TEST(ChunkRunner, computes_beside_the_caller) {
    auto const space = testing::small_space();
    ChunkRunner runner(space, {.threads = 2}, 3);
    runner.submit({11, space::Batch::range(space::PointId{4}, 5, models::Fidelity::analytic)});
    std::vector<space::Answer> answers;
    for (bool whole = false; !whole;) {  // on a slow machine it comes in parts
        auto const finished = next_from(runner);
        EXPECT_EQ(finished.sequence, 11U);
        for (auto const& findings : finished.findings)
            answers.insert(answers.end(), findings.kept.begin(), findings.kept.end());
        whole = finished.whole;
    }
    ASSERT_EQ(answers.size(), 5U);
    EXPECT_TRUE(
        std::any_of(answers.begin(), answers.end(), [](auto const& a) { return a.task.point == space::PointId{4}; }));
    EXPECT_EQ(answers[0].rank, 3);
}

TEST(ChunkRunner, begins_no_point_after_a_recall) {
    auto const space = testing::small_space();
    ChunkRunner runner(space, {.threads = 2}, 0);
    runner.recall();
    runner.submit({1, run_of(20)});
    auto const finished = next_from(runner);
    EXPECT_TRUE(finished.whole);
    EXPECT_EQ(finished.answered, 0U);
    EXPECT_TRUE(finished.findings.empty());
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

TEST(Evaluation, answers_a_broken_condition_with_its_name_and_numbers) {
    auto const space = space::parse_space(
        "schema = 1\narchitecture = \"cim_mesh\"\nobjectives = [\"latency\"]\n[[constraint]]\nname = "
        "\"impossible\"\nexpr = \"latency <= 1 ns\"\n",
        "t", {});
    auto const result = answer(space, {space::PointId{0}, models::Fidelity::analytic});
    auto const* infeasible = std::get_if<models::Infeasible>(&result.outcome);
    ASSERT_NE(infeasible, nullptr);
    EXPECT_EQ(infeasible->rule, "impossible");
    EXPECT_NE(infeasible->reason.find("latency ="), std::string::npos);
}

TEST(ThreadCount, listens_to_the_flag_then_to_the_environment) {
    ASSERT_EQ(::setenv("PIMDSE_THREADS", "3", 1), 0);
    ASSERT_EQ(::setenv("SLURM_CPUS_PER_TASK", "5", 1), 0);
    EXPECT_EQ(thread_count(7), 7);
    EXPECT_EQ(thread_count(0), 3);
    ::unsetenv("PIMDSE_THREADS");
    EXPECT_EQ(thread_count(0), 5);
    ::unsetenv("SLURM_CPUS_PER_TASK");
    EXPECT_GE(thread_count(0), 1);
}

}  // namespace
}  // namespace pimdse::dse::run
