#include "dse/run/isolation.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace pimdse::dse::run::quarantine_test {
namespace {

constexpr auto analytic = models::Fidelity::analytic;

space::Result result_to(std::uint64_t id) {
    return {{space::PointId{id}, analytic}, models::Metrics{models::Estimate::exact(1.0)}, 0.0, 0};
}

TEST(Quarantine, holds_the_points_that_were_begun_and_never_evaluated) {
    Quarantine quarantine;
    quarantine.started({analytic, space::PointId{10}, 5, {}});
    quarantine.started({analytic, {}, 0, {space::PointId{100}, space::PointId{50}}});
    search::ResultStore store(1);
    for (std::uint64_t const id : {10, 11, 13, 100}) store.insert(result_to(id));
    quarantine.settle(store);
    EXPECT_EQ(quarantine.size(), 3U);
    for (std::uint64_t const id : {12, 14, 50}) EXPECT_TRUE(quarantine.contains({space::PointId{id}, analytic}));
    EXPECT_FALSE(quarantine.contains({space::PointId{12}, models::Fidelity::cycle}))
        << "another fidelity was not begun";
}

TEST(Quarantine, costs_what_its_runs_cost) {
    Quarantine quarantine;
    constexpr std::uint64_t chunk = 65'536;
    for (std::uint64_t i = 0; i < 20'000; ++i) quarantine.started({analytic, space::PointId{i * chunk}, chunk, {}});
    quarantine.started({models::Fidelity::cycle, space::PointId{0}, std::uint64_t{1} << 63, {}});
    search::ResultStore store(1);
    store.insert(result_to(5));
    quarantine.settle(store);
    EXPECT_EQ(quarantine.at(analytic).size(), 20'000 * chunk - 1);
    EXPECT_EQ(quarantine.at(analytic).runs(), 2U);
    EXPECT_EQ(quarantine.at(models::Fidelity::cycle).runs(), 1U);
}

TEST(Quarantine, holds_nothing_of_a_block_that_is_done) {
    Quarantine quarantine;
    quarantine.started({analytic, space::PointId{0}, 5, {}});
    quarantine.started({analytic, space::PointId{space::BlockSummary::ids}, 5, {}});
    search::ResultStore store(1);
    store.insert(space::BlockSummary{0, analytic, {result_to(3)}, {{"", 65535}}});
    quarantine.settle(store);
    EXPECT_EQ(quarantine.size(), 5U);
    EXPECT_TRUE(quarantine.contains({space::PointId{space::BlockSummary::ids}, analytic}));
}

/// The slow way: one task at a time.
TEST(Quarantine, is_what_was_begun_less_what_was_evaluated_at_each_fidelity) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        std::mt19937_64 random(seed);
        Quarantine quarantine;
        search::ResultStore store(1);
        std::set<space::Task> begun, evaluated;
        for (std::uint64_t marks = random() % 8; marks > 0; --marks) {
            store::journal::Started mark{static_cast<models::Fidelity>(random() % 3), {}, 0, {}};
            std::uint64_t const first = random() % 60, count = random() % 12;
            for (std::uint64_t i = 0; i < count; ++i) {
                space::PointId const point{random() % 2 == 0 || mark.points.size() < i ? first + i : random() % 80};
                if (seed % 2 == 0) mark.points.push_back(point);
                begun.insert({seed % 2 == 0 ? point : space::PointId{first + i}, mark.fidelity});
            }
            if (seed % 2 != 0) mark.first = space::PointId{first}, mark.count = count;
            quarantine.started(mark);
        }
        for (std::uint64_t count = random() % 60; count > 0; --count) {
            auto result = result_to(random() % 80);
            result.task.fidelity = static_cast<models::Fidelity>(random() % 3);
            evaluated.insert(result.task);
            store.insert(result);
        }
        quarantine.settle(store);
        std::uint64_t expected = 0;
        for (std::uint64_t id = 0; id < 100; ++id) {
            for (std::size_t f = 0; f < 3; ++f) {
                space::Task const task{space::PointId{id}, static_cast<models::Fidelity>(f)};
                bool const kept = begun.contains(task) && !evaluated.contains(task);
                ASSERT_EQ(quarantine.contains(task), kept) << "seed " << seed << ", point " << id;
                expected += kept ? 1 : 0;
            }
        }
        EXPECT_EQ(quarantine.size(), expected);
        EXPECT_EQ(quarantine.empty(), expected == 0);
    }
}

}  // namespace
}  // namespace pimdse::dse::run::quarantine_test
