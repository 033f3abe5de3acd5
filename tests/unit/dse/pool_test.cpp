#include "dse/answer_codec.hpp"
#include "dse/chunk_runner.hpp"
#include "dse/evaluation.hpp"
#include "dse/pool.hpp"
#include "small_space.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

namespace pimdse::dse {
namespace {

std::vector<Answer> told_by(Pool& pool, Batch const& batch) {
    std::vector<Answer> told;
    Listener const listener{[](Batch const&) {}, [&](Findings const& findings) { told.insert(told.end(), findings.kept.begin(), findings.kept.end()); }};
    pool.evaluate(batch, listener, {});
    return told;
}

Bytes bytes_of(std::vector<Answer> answers) {
    for (auto& answer : answers) answer.seconds = 0.0;
    Bytes bytes;
    encode(answers, bytes);
    return bytes;
}

TEST(Pool, gives_the_same_bits_on_any_number_of_threads) {
    auto const space = testing::small_space();
    auto const all = Batch::range(PointId{0}, space.size(), models::Fidelity::analytic);
    auto const one = told_by(*make_thread_pool(space, {.threads = 1}), all);
    ASSERT_EQ(one.size(), space.size());
    for (int const threads : {2, 3, 4}) EXPECT_EQ(bytes_of(told_by(*make_thread_pool(space, {.threads = threads}), all)), bytes_of(one));
}

TEST(Pool, stops_with_a_whole_prefix) {
    auto const space = testing::small_space();
    auto const pool = make_thread_pool(space, {.threads = 2});
    std::stop_source stop;
    std::vector<Answer> told;
    Listener const listener{[](Batch const&) {},
                            [&](Findings const& findings) {
                                told.insert(told.end(), findings.kept.begin(), findings.kept.end());
                                stop.request_stop();
                            }};
    pool->evaluate(Batch::range(PointId{0}, space.size(), models::Fidelity::analytic), listener, stop.get_token());
    for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(index_of(told[i].task.point), i);
    EXPECT_GE(told.size(), 1U);
}

TEST(Pool, passes_on_what_the_sink_throws) {
    auto const space = testing::small_space();
    auto const pool = make_thread_pool(space, {.threads = 2});
    Listener const listener{[](Batch const&) {}, [](Findings const&) { throw std::runtime_error("disk full"); }};
    EXPECT_THROW(pool->evaluate(Batch::range(PointId{0}, 10, models::Fidelity::analytic), listener, {}), std::runtime_error);
}

TEST(Pool, names_the_tasks_it_begins_before_they_are_done) {
    auto const space = testing::small_space();
    std::uint64_t begun = 0, done = 0;
    Listener const listener{[&](Batch const& tasks) {
                                EXPECT_EQ(index_of(tasks.task(0).point), begun);
                                begun += tasks.size();
                            },
                            [&](Findings const& findings) {
                                done += findings.points;
                                EXPECT_LE(done, begun);
                            }};
    make_thread_pool(space, {.threads = 2})->evaluate(Batch::range(PointId{0}, space.size(), models::Fidelity::analytic), listener, {});
    EXPECT_EQ(begun, space.size());
    EXPECT_EQ(done, space.size());
}

TEST(ChunkRunner, computes_beside_the_caller) {
    auto const space = testing::small_space();
    ChunkRunner runner(space, {.threads = 2}, 3);
    runner.submit({11, Batch::range(PointId{4}, 5, models::Fidelity::analytic)});
    std::optional<FinishedChunk> finished;
    while (!(finished = runner.poll())) std::this_thread::yield();
    EXPECT_EQ(finished->sequence, 11U);
    ASSERT_EQ(finished->findings.kept.size(), 5U);
    EXPECT_EQ(finished->findings.kept[0].task.point, PointId{4});
    EXPECT_EQ(finished->findings.kept[0].rank, 3);
}

TEST(Evaluation, answers_a_broken_condition_with_its_name_and_numbers) {
    auto const space = Space::parse("schema = 1\narchitecture = \"cim_mesh\"\nobjectives = [\"latency\"]\n[[constraint]]\nname = \"impossible\"\nexpr = \"latency <= 1 ns\"\n", "t", {});
    auto const result = answer(space, {PointId{0}, models::Fidelity::analytic});
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
}  // namespace pimdse::dse
