#include "dse/search/point_counts.hpp"
#include "../store/sample.hpp"

#include <gtest/gtest.h>
#include <map>

namespace pimdse::dse::search::point_counts_test {
namespace {

using models::Fidelity;

EvaluatedPoints counted(std::vector<space::Result> const& results) {
    return count_points(store::sample::store(results));
}

TEST(PointCounts, are_those_of_the_store_at_one_fidelity) {
    auto const store = store::sample::store(store::sample::results(0, 500));
    auto const counts = count_points(store);
    EXPECT_EQ(counts.points, 500U);
    EXPECT_EQ(counts.feasible, store.count(Status::ok));
    EXPECT_EQ(counts.infeasible, store.count(Status::infeasible));
    EXPECT_EQ(counts.feasible + counts.infeasible + counts.failed, 500U);
    EXPECT_EQ(counted({}).points, 0U);
}

TEST(PointCounts, count_a_point_once_by_its_finest_evaluation) {
    std::vector<space::Result> results;
    std::map<std::uint64_t, std::size_t> finest;  // point, kind of its finest outcome
    for (std::uint64_t id = 0; id < 300; ++id) {
        results.push_back(store::sample::result(id));
        if (id % 3 == 0) {
            results.push_back(store::sample::result(id, Fidelity::cycle, 7));
            results.back().outcome = store::sample::result(id + 1).outcome;  // another outcome than the coarse one
        }
        finest[id] = results.back().outcome.index();
    }
    std::array<std::uint64_t, 3> kinds{};
    for (auto const& [_, kind] : finest) ++kinds[kind];
    auto const counts = counted(results);
    EXPECT_EQ(counts.points, 300U);
    EXPECT_EQ(counts.feasible, kinds[0]);
    EXPECT_EQ(counts.infeasible, kinds[1]);
    EXPECT_EQ(counts.failed, kinds[2]);
    EXPECT_GT(kinds[1] + kinds[2], 0U);
}

}  // namespace
}  // namespace pimdse::dse::search::point_counts_test
