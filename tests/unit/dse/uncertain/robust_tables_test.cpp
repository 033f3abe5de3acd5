
#include "dse/store/result_file.hpp"
#include "dse/store/result_writer.hpp"
#include "dse/uncertain/point_study.hpp"
#include "tests/unit/dse/store/sample.hpp"
#include "tests/unit/dse/uncertain/uncertain_space.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace pimdse::dse::uncertain::robust_tables_test {
namespace {

TEST(RobustTables, AFileKeepsEverything) {
    store::sample::TemporaryDirectory directory;
    auto const space = testing::small_space();
    auto const store = testing::swept(space);
    auto const front = *study(space, store, testing::ranges_of(space, 16), evaluate_here(space, 2));
    store::seal(directory / "r.h5", space.columns(), store, {}, 1, store::usual_rows_per_part, nullptr, &front);
    auto const again = *store::load_result_file(directory / "r.h5").robust;
    EXPECT_EQ(again.key, front.key);
    EXPECT_EQ(again.statement, front.statement);
    EXPECT_EQ(again.draws, front.draws);
    EXPECT_EQ(again.front_sizes, front.front_sizes);
    EXPECT_EQ(again.possible, front.possible);
    EXPECT_EQ(again.effective, front.effective);
    ASSERT_EQ(again.designs.size(), front.designs.size());
    for (std::size_t i = 0; i < front.designs.size(); ++i) {
        EXPECT_EQ(again.designs[i].point, front.designs[i].point);
        EXPECT_EQ(again.designs[i].draws_on_front, front.designs[i].draws_on_front);
        EXPECT_EQ(again.designs[i].quantiles, front.designs[i].quantiles);
    }
    EXPECT_EQ(again.machines.at(0).draws_on_front, front.machines.at(0).draws_on_front);
    EXPECT_EQ(again.decisions.size(), front.decisions.size());
}

TEST(PointStudy, DeparturesAreWhereTheDesignIsDominated) {
    auto const space = testing::small_space();
    auto const store = testing::swept(space);
    auto const front = *study(space, store, testing::ranges_of(space, 16), evaluate_here(space, 2));
    auto const constants = bound_again(space, front.constants);
    std::vector<space::PointId> all;
    for (std::uint64_t id = 0; id < space.size(); ++id) all.push_back(space::PointId{id});
    std::size_t departures = 0;
    for (auto const& design : front.designs) {
        if (!design.now) continue;
        auto const found =
            study_point(space, constants, front.effective, all, design.point, models::Fidelity::analytic);
        EXPECT_FALSE(found.tornado.empty());
        EXPECT_TRUE(std::ranges::is_sorted(found.departures, {}, &Departure::factor));
        for (auto const& departure : found.departures) {
            auto const& constant = constants[departure.constant];
            EXPECT_GE(departure.value, constant.lower);
            EXPECT_LE(departure.value, constant.upper);
            EXPECT_GT(departure.factor, 1.0);
            EXPECT_TRUE(departure.dominated_by.has_value());
            ++departures;
        }
    }
    EXPECT_GT(departures, 0U);
}

}  // namespace
}  // namespace pimdse::dse::uncertain::robust_tables_test
