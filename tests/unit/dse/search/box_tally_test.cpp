#include "dse/search/certificate_check.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::search::box_tally_test {
namespace {

using space::PointId;
using TwoGrids = std::vector<search::Certificate::Grid>;

/// Two grids of 3 x 4 and 2 x 1 points.
TwoGrids two_grids() { return {{0, {3, 4}}, {12, {2, 1}}}; }

bool tallies(std::vector<PointId> const& firsts, std::vector<std::uint32_t> const& extents,
             std::vector<PointId> const& points = {}) {
    auto const grids = two_grids();
    BoxTally tally(grids);
    tally.add(firsts, extents);
    tally.add(points, {});
    return tally.has_each_point_once();
}

TEST(BoxTally, knows_a_partition) {
    EXPECT_TRUE(tallies({PointId{0}, PointId{12}}, {3, 4, 2, 1}));
    EXPECT_TRUE(tallies({PointId{0}, PointId{2}, PointId{12}}, {3, 2, 3, 2, 1, 1}, {PointId{13}}));
    EXPECT_TRUE(tallies({PointId{1}, PointId{12}}, {3, 3, 2, 1}, {PointId{0}, PointId{4}, PointId{8}}));
}

TEST(BoxTally, knows_what_is_none) {
    EXPECT_FALSE(tallies({PointId{0}}, {3, 4})) << "a grid is missing";
    EXPECT_FALSE(tallies({PointId{0}, PointId{12}}, {3, 4, 2, 1}, {PointId{5}})) << "a point twice";
    EXPECT_FALSE(tallies({PointId{0}, PointId{12}}, {3, 3, 2, 1})) << "a column is missing";
    EXPECT_FALSE(tallies({PointId{0}, PointId{2}, PointId{12}}, {3, 2, 3, 3, 2, 1})) << "it reaches beyond its axis";
    EXPECT_FALSE(tallies({PointId{0}, PointId{2}, PointId{12}}, {3, 2, 2, 2, 2, 1}, {PointId{10}, PointId{10}}))
        << "as many points, one of them twice and one never";
    EXPECT_FALSE(tallies({PointId{0}, PointId{12}}, {3, 4, 2, 1}, {PointId{14}})) << "there is no such point";
}

}  // namespace
}  // namespace pimdse::dse::search::box_tally_test
