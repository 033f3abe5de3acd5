#include "dse/search/task_index.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <vector>

namespace pimdse::dse::search::task_index_test {
namespace {

using models::Fidelity;

/// Columns, an index over them and what it should say.
struct Indexed {
    ResultColumns columns{0};
    TaskIndex index;
    std::map<space::Task, Row> expected;

    void add(space::Task task) {
        if (!expected.emplace(task, static_cast<Row>(columns.size())).second) return;
        models::Metrics const none;
        columns.append({task, none, 0.0, 0}, Status::ok, &none, 0);
        index.add(columns);
    }
    void expect_all(std::uint64_t ids) const {
        for (std::uint64_t id = 0; id < ids; ++id) {
            for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
                space::Task const task{space::PointId{id}, fidelity};
                auto const known = expected.find(task);
                auto const found = index.find(columns, task);
                ASSERT_EQ(found.has_value(), known != expected.end()) << "point " << id;
                if (found) {
                    ASSERT_EQ(*found, known->second) << "point " << id;
                }
            }
        }
    }
};

std::vector<std::uint64_t> shuffled(std::uint64_t count, std::mt19937_64& random) {
    std::vector<std::uint64_t> ids(count);
    std::iota(ids.begin(), ids.end(), 0U);
    std::shuffle(ids.begin(), ids.end(), random);
    return ids;
}

TEST(TaskIndex, costs_nothing_while_tasks_come_in_order) {
    Indexed indexed;
    for (std::uint64_t id = 0; id < 20000; ++id) {
        if (id % 7 != 3) indexed.add({space::PointId{id}, Fidelity::analytic});
    }
    EXPECT_LT(indexed.index.bytes(), 100U);
    indexed.expect_all(20010);
}

TEST(TaskIndex, knows_every_task_whatever_the_order) {
    std::mt19937_64 random(4);
    Indexed indexed;
    for (auto const id : shuffled(20000, random))
        indexed.add({space::PointId{id}, id % 5 == 0 ? Fidelity::cycle : Fidelity::analytic});
    EXPECT_LT(indexed.index.bytes(), 20000 * 12U + 10000U);
    indexed.expect_all(20000);
}

TEST(TaskIndex, knows_runs_that_interleave_and_fill_gaps) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 20; ++round) {
        Indexed indexed;
        for (auto const start : shuffled(300, random)) {
            std::uint64_t const step = 1 + random() % 3;
            for (std::uint64_t k = 0; k < 1 + random() % 40; ++k)
                indexed.add(
                    {space::PointId{start * 20 + k * step}, random() % 9 == 0 ? Fidelity::cycle : Fidelity::analytic});
        }
        indexed.expect_all(6200);
    }
}

}  // namespace
}  // namespace pimdse::dse::search::task_index_test
