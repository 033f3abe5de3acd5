#pragma once

#include "dse/search/ideal_point.hpp"
#include "dse/search/space_grids.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <vector>

/// Boxes of a space that cuts come to, and their points.
namespace pimdse::dse::search::testing {

/// Halves a box until it is a point, and keeps a random half each time. look(box): of each box on the way.
template <class Look>
void walk_down(SpaceGrids& grids, Box box, std::mt19937_64& random, Look const& look) {
    while (true) {
        ASSERT_NO_FATAL_FAILURE(look(box));
        if (box.is_point()) return;
        auto const axis = grids.axis_to_cut(box);
        ASSERT_GT(box.axes[axis].count, 1U) << "an axis with one position cannot be cut";
        auto const [first, second] = box.cut(axis);
        box = random() % 2 == 0 ? first : second;
    }
}

inline void collect(SpaceGrids& grids, Box const& box, std::vector<space::PointId>& into) {
    if (box.is_point()) return into.push_back(grids.first_of(box));
    auto const longest = std::ranges::max_element(box.axes, {}, &Box::Run::count);
    auto const [first, second] = box.cut(static_cast<std::size_t>(longest - box.axes.begin()));
    collect(grids, first, into);
    collect(grids, second, into);
}

/// A box bounds each of its points, and one that is refused has none that is feasible; `refused` counts those.
inline void expect_bounds(SpaceGrids& grids, space::Space const& space, Box const& box, int& refused) {
    auto const bound = grids.bound(box);
    refused += bound ? 0 : 1;
    std::vector<space::PointId> points;
    collect(grids, box, points);
    ASSERT_EQ(points.size(), box.points());
    for (auto const id : points) {
        auto const ideal = coarse_ideal_point(space, id);
        ASSERT_TRUE(bound || !ideal) << "point " << index_of(id) << " of a refused box is feasible";
        for (std::size_t i = 0; ideal && i < space.objectives().size(); ++i)
            ASSERT_LE((*bound)[i], ideal->lower[i]) << "point " << index_of(id) << ", objective " << i;
        if (!box.is_point()) continue;
        ASSERT_EQ(bound.has_value(), ideal.has_value());
        ASSERT_TRUE(!ideal || *bound == ideal->lower);
    }
}

}  // namespace pimdse::dse::search::testing
