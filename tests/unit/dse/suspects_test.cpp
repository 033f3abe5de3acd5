#include "dse/suspects.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse {
namespace {

constexpr auto analytic = models::Fidelity::analytic;

Answer answer_to(std::uint64_t id) { return {{PointId{id}, analytic}, models::Metrics{models::Estimate::exact(1.0)}, 0.0, 0}; }

TEST(Suspects, are_the_points_that_were_begun_and_never_answered) {
    Suspects suspects;
    suspects.started({analytic, PointId{10}, 5, {}});
    suspects.started({analytic, {}, 0, {PointId{100}, PointId{50}}});
    ResultStore store(1);
    for (std::uint64_t const id : {10, 11, 13, 100}) store.insert(answer_to(id));
    suspects.settle(store);
    EXPECT_EQ(suspects.size(), 3U);
    for (std::uint64_t const id : {12, 14, 50}) EXPECT_TRUE(suspects.contains({PointId{id}, analytic}));
    EXPECT_FALSE(suspects.contains({PointId{12}, models::Fidelity::cycle})) << "another fidelity was not begun";
}

TEST(Suspects, are_not_looked_for_in_a_block_that_is_done) {
    Suspects suspects;
    suspects.started({analytic, PointId{0}, 5, {}});
    suspects.started({analytic, PointId{BlockSummary::ids}, 5, {}});
    ResultStore store(1);
    store.insert(BlockSummary{0, analytic, {answer_to(3)}, {{"", 65535}}});
    suspects.settle(store);
    EXPECT_EQ(suspects.size(), 5U);
    EXPECT_TRUE(suspects.contains({PointId{BlockSummary::ids}, analytic}));
}

}  // namespace
}  // namespace pimdse::dse
