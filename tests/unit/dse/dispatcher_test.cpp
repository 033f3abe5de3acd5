#include "dse/dispatcher.hpp"

#include "dse/strategy/shuffle.hpp"
#include "sim/check.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace pimdse::dse {
namespace {

std::vector<Answer> answers_to(Chunk const& chunk) {
    std::vector<Answer> answers;
    for (std::uint64_t i = 0; i < chunk.tasks.size(); ++i) answers.push_back({chunk.tasks.task(i), models::Metrics{}, 0.0, 0});
    return answers;
}

struct Held {
    int worker;
    Chunk chunk;
};

/// Runs a batch with chunks finishing in an order decided by the seed; returns the ids in the order told.
std::vector<std::uint64_t> told_with_shuffled_arrival(Batch const& batch, int workers, std::uint64_t seed) {
    std::vector<std::uint64_t> told;
    Dispatcher dispatcher(batch, [&](std::span<Answer const> answers) { for (auto const& a : answers) told.push_back(index_of(a.task.point)); }, {.workers = workers});
    std::vector<Held> held;
    std::uint64_t counter = seed << 32;
    while (!dispatcher.done()) {
        for (int worker = 0; worker < workers; ++worker) {
            while (auto chunk = dispatcher.next(worker)) held.push_back({worker, std::move(*chunk)});
        }
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

TEST(Dispatcher, gives_a_worker_at_most_two_chunks) {
    Dispatcher dispatcher(Batch::range(PointId{0}, 1000, models::Fidelity::analytic), [](auto) {}, {.workers = 2});
    EXPECT_TRUE(dispatcher.next(0).has_value());
    EXPECT_TRUE(dispatcher.next(0).has_value());
    EXPECT_FALSE(dispatcher.next(0).has_value());
    EXPECT_TRUE(dispatcher.next(1).has_value());
}

TEST(Dispatcher, serves_more_workers_than_points) {
    auto const told = told_with_shuffled_arrival(Batch::range(PointId{0}, 3, models::Fidelity::analytic), 64, 2);
    EXPECT_EQ(told, (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST(Dispatcher, waits_for_what_is_under_way_after_a_stop) {
    Dispatcher dispatcher(Batch::range(PointId{0}, 1000, models::Fidelity::analytic), [](auto) {}, {.workers = 1});
    auto const chunk = dispatcher.next(0);
    dispatcher.stop();
    EXPECT_FALSE(dispatcher.next(0).has_value());
    EXPECT_FALSE(dispatcher.done());
    dispatcher.arrived(0, chunk->sequence, answers_to(*chunk), 1e-3);
    EXPECT_TRUE(dispatcher.done());
}

TEST(Dispatcher, refuses_answers_nobody_asked_for) {
    Dispatcher dispatcher(Batch::range(PointId{0}, 10, models::Fidelity::analytic), [](auto) {}, {.workers = 1});
    EXPECT_THROW(dispatcher.arrived(0, 3, {}, 1.0), sim::ContractViolation);
}

}  // namespace
}  // namespace pimdse::dse
