#include "dse/run/dispatcher.hpp"

#include "sim/base/check.hpp"
#include "sim/base/random.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <deque>
#include <utility>

namespace pimdse::dse::run::dispatcher_test {
namespace {

/// So many ids from 0 on.
class RunOfIds final : public TaskSource {
  public:
    explicit RunOfIds(std::uint64_t count) : count_(count) {}
    std::optional<space::Batch> more(std::uint64_t max) override {
        if (next_ == count_) return std::nullopt;
        std::uint64_t const size = std::min(max, count_ - next_);
        next_ += size;
        return space::Batch::range(space::PointId{next_ - size}, size, models::Fidelity::analytic);
    }
    std::uint64_t left() const override { return count_ - next_; }

  private:
    std::uint64_t count_;
    std::uint64_t next_ = 0;
};

void finish(Dispatcher& dispatcher, Dispatcher::Handout const& handout, double seconds) {
    dispatcher.finished(handout.worker, handout.chunk.sequence, handout.chunk.tasks.size(), seconds);
}

std::vector<Dispatcher::Handout> all_at_once(Dispatcher& dispatcher) {
    std::vector<Dispatcher::Handout> held;
    while (auto handout = dispatcher.next()) held.push_back(std::move(*handout));
    return held;
}

TEST(Dispatcher, hands_out_every_task_once_whatever_finishes_first) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        RunOfIds ids(5000);
        Dispatcher dispatcher(ids, {.workers = 1 + static_cast<int>(seed % 7)});
        std::vector<Dispatcher::Handout> held;
        std::vector<int> times(5000, 0);
        std::uint64_t counter = seed << 32;
        while (!dispatcher.done()) {
            for (auto& handout : all_at_once(dispatcher)) held.push_back(std::move(handout));
            if (held.empty()) break;
            auto const pick = held.begin() + static_cast<std::ptrdiff_t>(sim::mixed_bits(counter++) % held.size());
            for (std::uint64_t i = 0; i < pick->chunk.tasks.size(); ++i)
                ++times[index_of(pick->chunk.tasks.task(i).point)];
            finish(dispatcher, *pick, 1e-6 * static_cast<double>(1 + sim::mixed_bits(counter++) % 1000));
            held.erase(pick);
        }
        EXPECT_TRUE(dispatcher.done());
        EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
    }
}

TEST(Dispatcher, gives_everyone_a_first_chunk_before_anyone_a_second_and_nobody_a_third) {
    RunOfIds ids(1000);
    Dispatcher dispatcher(ids, {.workers = 2});
    std::vector<int> workers;
    for (auto const& handout : all_at_once(dispatcher)) workers.push_back(handout.worker);
    EXPECT_EQ(workers, (std::vector<int>{1, 0, 1, 0}));
}

TEST(Dispatcher, gives_the_next_chunk_to_whoever_has_finished_one) {
    RunOfIds ids(1000);
    Dispatcher dispatcher(ids, {.workers = 3});
    auto const held = all_at_once(dispatcher);
    ASSERT_EQ(held.size(), 6U);
    finish(dispatcher, held[4], 1e-3);
    auto const next = dispatcher.next();
    ASSERT_TRUE(next.has_value());
    EXPECT_EQ(next->worker, held[4].worker);
    EXPECT_FALSE(dispatcher.next().has_value());
}

TEST(Dispatcher, gives_another_chunk_to_a_worker_that_is_starving) {
    RunOfIds ids(1000);
    Dispatcher dispatcher(ids, {.workers = 2});
    (void)all_at_once(dispatcher);
    dispatcher.starving(1);
    dispatcher.starving(1);
    auto const handout = dispatcher.next();
    ASSERT_TRUE(handout.has_value());
    EXPECT_EQ(handout->worker, 1);
    EXPECT_EQ(dispatcher.held_by(1), 3);
    EXPECT_FALSE(dispatcher.next().has_value());
    finish(dispatcher, *handout, 10.0);
    EXPECT_FALSE(dispatcher.next().has_value()) << "it holds two again";
}

TEST(Dispatcher, gives_more_chunks_where_they_are_too_short_to_bridge_a_round_trip) {
    RunOfIds ids(1000);
    Dispatcher dispatcher(ids, {.workers = 1, .largest_chunk = 1});
    finish(dispatcher, *dispatcher.next(), 1e-6);
    (void)all_at_once(dispatcher);
    EXPECT_EQ(dispatcher.held_by(0), 64);
}

TEST(Dispatcher, goes_on_handing_out_however_long_one_point_takes) {
    RunOfIds ids(100'000);
    Dispatcher dispatcher(ids, {.workers = 2, .largest_chunk = 1});
    auto const hanging = dispatcher.next();
    std::uint64_t others = 0;
    while (auto const handout = dispatcher.next()) {
        finish(dispatcher, *handout, 1e-2);
        ++others;
    }
    EXPECT_EQ(others, 99'999U);
    EXPECT_FALSE(dispatcher.done());
    finish(dispatcher, *hanging, 1.0);
    EXPECT_TRUE(dispatcher.done());
}

TEST(Dispatcher, gives_a_worker_that_is_slow_smaller_chunks) {
    RunOfIds ids(10'000'000);
    Dispatcher dispatcher(ids, {.workers = 2});
    std::deque<Dispatcher::Handout> held;
    std::array<std::uint64_t, 2> last{};
    for (int i = 0; i < 400; ++i) {
        for (auto& handout : all_at_once(dispatcher)) held.push_back(std::move(handout));
        auto const size = held.front().chunk.tasks.size();
        auto const worker = held.front().worker;
        last[static_cast<std::size_t>(worker)] = size;
        finish(dispatcher, held.front(), static_cast<double>(size) * (worker == 0 ? 1e-4 : 4e-4));
        held.pop_front();
    }
    EXPECT_GT(last[0], 2 * last[1]);
}

/// A task that is there, or comes later.
class OneAtATime final : public TaskSource {
  public:
    std::optional<space::Batch> more(std::uint64_t) override {
        if (over) return std::nullopt;
        return std::exchange(there, false) ? space::Batch::range(space::PointId{1}, 1, models::Fidelity::cycle)
                                           : space::Batch{};
    }
    std::uint64_t left() const override { return 0; }
    bool there = true;
    bool over = false;
};

TEST(Dispatcher, waits_for_a_task_that_another_result_will_bring) {
    OneAtATime tasks;
    Dispatcher dispatcher(tasks, {.workers = 3});
    auto const first = dispatcher.next();
    ASSERT_TRUE(first.has_value());
    EXPECT_FALSE(dispatcher.next().has_value());
    finish(dispatcher, *first, 1e-3);
    EXPECT_FALSE(dispatcher.done()) << "nothing is under way, but more may come";
    tasks.there = true;
    EXPECT_TRUE(dispatcher.next().has_value());
    tasks.over = true;
    EXPECT_FALSE(dispatcher.next().has_value());
    EXPECT_FALSE(dispatcher.done());
}

TEST(Dispatcher, serves_more_workers_than_points) {
    RunOfIds ids(3);
    Dispatcher dispatcher(ids, {.workers = 64});
    auto const held = all_at_once(dispatcher);
    EXPECT_EQ(held.size(), 3U);
    for (auto const& handout : held) finish(dispatcher, handout, 1e-3);
    EXPECT_TRUE(dispatcher.done());
}

TEST(Dispatcher, takes_half_a_chunk_after_a_stop_and_only_then) {
    RunOfIds ids(1000);
    Dispatcher dispatcher(ids, {.workers = 1});
    auto const handout = dispatcher.next();
    ASSERT_GT(handout->chunk.tasks.size(), 1U);
    EXPECT_THROW(dispatcher.finished(0, handout->chunk.sequence, 1, 1e-3), sim::ContractViolation);
    dispatcher.stop();
    EXPECT_FALSE(dispatcher.next().has_value());
    EXPECT_FALSE(dispatcher.done());
    dispatcher.finished(0, handout->chunk.sequence, 1, 1e-3);
    EXPECT_TRUE(dispatcher.done());
}

TEST(Dispatcher, refuses_results_nobody_asked_for) {
    RunOfIds ids(10);
    Dispatcher dispatcher(ids, {.workers = 1});
    EXPECT_THROW(dispatcher.finished(0, 3, 0, 1.0), sim::ContractViolation);
}

/// Ids that come back when who had them has gone.
class Returning final : public TaskSource {
  public:
    explicit Returning(std::uint64_t count) : times(count, 0) {
        for (std::uint64_t id = 0; id < count; ++id) waiting_.push_back(space::PointId{id});
    }
    std::optional<space::Batch> more(std::uint64_t max) override {
        if (waiting_.empty()) return std::nullopt;
        auto const end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(max, waiting_.size()));
        std::vector<space::PointId> points(waiting_.begin(), end);
        waiting_.erase(waiting_.begin(), end);
        return space::Batch::list(std::move(points), models::Fidelity::analytic);
    }
    std::uint64_t left() const override { return waiting_.size(); }
    std::vector<int> times;  ///< that a point was evaluated

  private:
    std::deque<space::PointId> waiting_;
};

TEST(Dispatcher, has_every_task_evaluated_once_whoever_starves) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        std::uint64_t counter = seed << 32;
        auto const dice = [&](std::uint64_t limit) { return sim::mixed_bits(++counter) % limit; };
        Returning ids(1 + dice(800));
        auto const workers = 2 + dice(4);
        Dispatcher dispatcher(ids, {.workers = static_cast<int>(workers), .largest_chunk = 1 + dice(40)});
        std::vector<Dispatcher::Handout> held;
        for (int turn = 0; turn < 100'000 && !dispatcher.done(); ++turn) {
            for (auto& handout : all_at_once(dispatcher)) held.push_back(std::move(handout));
            bool const starves = dice(20) == 0;
            if (starves) dispatcher.starving(static_cast<int>(dice(workers)));
            if (held.empty() || starves) continue;
            auto const pick = held.begin() + static_cast<std::ptrdiff_t>(dice(held.size()));
            for (std::uint64_t i = 0; i < pick->chunk.tasks.size(); ++i)
                ++ids.times[index_of(pick->chunk.tasks.task(i).point)];
            finish(dispatcher, *pick, 1e-5 * static_cast<double>(dice(1000)));
            held.erase(pick);
        }
        ASSERT_TRUE(dispatcher.done());
        EXPECT_TRUE(held.empty());
        EXPECT_TRUE(std::ranges::all_of(ids.times, [](int times) { return times == 1; })) << "seed " << seed;
    }
}

}  // namespace
}  // namespace pimdse::dse::run::dispatcher_test
