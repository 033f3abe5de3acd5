#include "dse/dispatcher.hpp"

#include "dse/strategy/shuffle.hpp"
#include "small_space.hpp"
#include "sim/check.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <gtest/gtest.h>

namespace pimdse::dse {
namespace {

Findings answers_to(Chunk const& chunk) {
    Findings findings{chunk.tasks.size(), {}, {}};
    for (std::uint64_t i = 0; i < chunk.tasks.size(); ++i) findings.kept.push_back({chunk.tasks.task(i), models::Metrics{}, 0.0, 0});
    return findings;
}

Space const& any_space() {
    static Space const space = testing::small_space();
    return space;
}

Batch run_of_ids(std::uint64_t count, std::uint64_t first = 0) { return Batch::range(PointId{first}, count, models::Fidelity::analytic); }

/// Runs a batch with chunks finishing in an order decided by the seed; returns the ids in the order told.
std::vector<std::uint64_t> told_with_shuffled_arrival(Batch const& batch, int workers, std::uint64_t seed) {
    std::vector<std::uint64_t> told;
    auto const tell = [&](Findings const& findings) {
        for (auto const& answer : findings.kept) told.push_back(index_of(answer.task.point));
    };
    Dispatcher dispatcher(any_space(), batch, tell, {.workers = workers});
    std::vector<Dispatcher::Handout> held;
    std::uint64_t counter = seed << 32;
    while (!dispatcher.done()) {
        while (auto handout = dispatcher.next()) held.push_back(std::move(*handout));
        auto const pick = held.begin() + static_cast<std::ptrdiff_t>(mixed_bits(counter++) % held.size());
        double const seconds = 1e-6 * static_cast<double>(1 + mixed_bits(counter++) % 1000);
        dispatcher.arrived(pick->worker, pick->chunk.sequence, answers_to(pick->chunk), seconds);
        held.erase(pick);
    }
    return told;
}

TEST(Dispatcher, tells_answers_in_task_order_whatever_arrives_first) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        auto const told = told_with_shuffled_arrival(Batch::range(PointId{10}, 5000, models::Fidelity::analytic), 1 + static_cast<int>(seed % 7), seed);
        ASSERT_EQ(told.size(), 5000U);
        EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
        EXPECT_EQ(told.front(), 10U);
    }
}

TEST(Dispatcher, keeps_the_order_of_a_list) {
    std::vector<PointId> points;
    for (std::uint64_t i = 0; i < 700; ++i) points.push_back(PointId{mixed_bits(i) % 100000});
    auto const told = told_with_shuffled_arrival(Batch::list(points, models::Fidelity::analytic), 3, 1);
    ASSERT_EQ(told.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(told[i], index_of(points[i]));
}

TEST(Dispatcher, gives_everyone_a_first_chunk_before_anyone_a_second_and_nobody_a_third) {
    Dispatcher dispatcher(any_space(), run_of_ids(1000), [](auto const&) {}, {.workers = 2});
    std::vector<int> workers;
    while (auto const handout = dispatcher.next()) workers.push_back(handout->worker);
    EXPECT_EQ(workers, (std::vector<int>{1, 0, 1, 0}));
}

TEST(Dispatcher, gives_the_next_chunk_to_whoever_has_finished_one) {
    Dispatcher dispatcher(any_space(), run_of_ids(1000), [](auto const&) {}, {.workers = 3});
    std::vector<Dispatcher::Handout> held;
    while (auto handout = dispatcher.next()) held.push_back(std::move(*handout));
    ASSERT_EQ(held.size(), 6U);
    dispatcher.arrived(held[4].worker, held[4].chunk.sequence, answers_to(held[4].chunk), 1e-3);
    auto const next = dispatcher.next();
    ASSERT_TRUE(next.has_value());
    EXPECT_EQ(next->worker, held[4].worker);
    EXPECT_FALSE(dispatcher.next().has_value());
}

TEST(Dispatcher, gives_another_chunk_to_a_worker_that_is_starving) {
    Dispatcher dispatcher(any_space(), run_of_ids(1000), [](auto const&) {}, {.workers = 2});
    while (dispatcher.next()) {}
    dispatcher.starving(1);
    dispatcher.starving(1);
    auto const handout = dispatcher.next();
    ASSERT_TRUE(handout.has_value());
    EXPECT_EQ(handout->worker, 1);
    EXPECT_EQ(dispatcher.held_by(1), 3);
    EXPECT_FALSE(dispatcher.next().has_value());
    dispatcher.arrived(1, handout->chunk.sequence, answers_to(handout->chunk), 10.0);
    EXPECT_FALSE(dispatcher.next().has_value()) << "it holds two again";
}

TEST(Dispatcher, gives_more_chunks_where_they_are_too_short_to_bridge_a_round_trip) {
    Dispatcher dispatcher(any_space(), run_of_ids(1000), [](auto const&) {}, {.workers = 1, .largest_chunk = 1});
    auto const first = dispatcher.next();
    dispatcher.arrived(0, first->chunk.sequence, answers_to(first->chunk), 1e-6);
    while (dispatcher.next()) {}
    EXPECT_EQ(dispatcher.held_by(0), 64);
}

TEST(Dispatcher, hands_out_nothing_more_when_too_many_answers_wait_for_one) {
    Dispatcher dispatcher(any_space(), run_of_ids(1000), [](auto const&) {}, {.workers = 2, .largest_chunk = 1, .answers_ahead = 100});
    auto const oldest = dispatcher.next();
    std::uint64_t others = 0;
    while (auto const handout = dispatcher.next()) {
        dispatcher.arrived(handout->worker, handout->chunk.sequence, answers_to(handout->chunk), 1e-2);
        ++others;
    }
    EXPECT_EQ(others, 99U);
    dispatcher.arrived(oldest->worker, oldest->chunk.sequence, answers_to(oldest->chunk), 1.0);
    EXPECT_TRUE(dispatcher.next().has_value());
}

TEST(Dispatcher, gives_a_worker_that_is_slow_smaller_chunks) {
    Dispatcher dispatcher(any_space(), run_of_ids(10'000'000), [](auto const&) {}, {.workers = 2});
    std::deque<Dispatcher::Handout> held;
    std::array<std::uint64_t, 2> last{};
    for (int i = 0; i < 400; ++i) {
        while (auto handout = dispatcher.next()) held.push_back(std::move(*handout));
        auto const& chunk = held.front().chunk;
        auto const worker = held.front().worker;
        last[static_cast<std::size_t>(worker)] = chunk.tasks.size();
        dispatcher.arrived(worker, chunk.sequence, answers_to(chunk), static_cast<double>(chunk.tasks.size()) * (worker == 0 ? 1e-4 : 4e-4));
        held.pop_front();
    }
    EXPECT_GT(last[0], 2 * last[1]);
}

TEST(Dispatcher, keeps_parts_inside_blocks_where_only_fronts_are_kept) {
    auto space = testing::small_space();
    space.set_search({.keep = Keep::front});
    Dispatcher dispatcher(space, run_of_ids(3 * BlockSummary::ids, 60'000), [](auto const&) {}, {.workers = 2});
    std::uint64_t tasks = 0;
    while (auto const handout = dispatcher.next()) {
        auto const& part = handout->chunk.tasks;
        EXPECT_EQ(block_of(part.task(0).point), block_of(part.task(part.size() - 1).point));
        tasks += part.size();
        dispatcher.arrived(handout->worker, handout->chunk.sequence, {part.size(), {}, {{"", part.size()}}}, 1e-9);
    }
    EXPECT_EQ(tasks, 3 * BlockSummary::ids);
}

TEST(Dispatcher, hands_suspects_out_as_suspects) {
    Dispatcher dispatcher(any_space(), run_of_ids(800).as_suspects(), [](auto const&) {}, {.workers = 2});
    auto const handout = dispatcher.next();
    ASSERT_TRUE(handout.has_value());
    EXPECT_TRUE(handout->chunk.tasks.is_suspect());
}

TEST(Dispatcher, serves_more_workers_than_points) {
    auto const told = told_with_shuffled_arrival(Batch::range(PointId{0}, 3, models::Fidelity::analytic), 64, 2);
    EXPECT_EQ(told, (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST(Dispatcher, waits_for_what_is_under_way_after_a_stop) {
    Dispatcher dispatcher(any_space(), run_of_ids(1000), [](auto const&) {}, {.workers = 1});
    auto const handout = dispatcher.next();
    dispatcher.stop();
    EXPECT_FALSE(dispatcher.next().has_value());
    EXPECT_FALSE(dispatcher.done());
    dispatcher.arrived(0, handout->chunk.sequence, answers_to(handout->chunk), 1e-3);
    EXPECT_TRUE(dispatcher.done());
}

TEST(Dispatcher, refuses_answers_nobody_asked_for) {
    Dispatcher dispatcher(any_space(), run_of_ids(10), [](auto const&) {}, {.workers = 1});
    EXPECT_THROW(dispatcher.arrived(0, 3, {}, 1.0), sim::ContractViolation);
}

}  // namespace
}  // namespace pimdse::dse
