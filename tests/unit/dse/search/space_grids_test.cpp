#include "dse/search/space_grids.hpp"

#include "box_walks.hpp"
#include "dse/space/search_settings.hpp"
#include "tests/unit/dse/made_up_space.hpp"

#include <gtest/gtest.h>
#include <random>

namespace pimdse::dse::search::space_grids_test {
namespace {

using dse::testing::made_up_machine;
using dse::testing::up_to;
using search::Box;
using testing::expect_bounds;
using testing::walk_down;
using Conditions = std::vector<std::string>;

TEST(SpaceGrids, bound_every_point_of_every_box_that_cuts_come_to) {
    std::vector<Conditions> const all_conditions{
        {},
        {"latency <= 30 s"},
        {"rows * depth <= 200", "energy < 60 J"},
        {"mode != wide or energy > 40 J", "latency + 0 s < 40 s"},
        {"not (rows > 12 and depth > 12)"},
        {"latency <= 1 s"},
    };
    std::mt19937_64 random(1);
    int refused = 0;
    for (std::size_t objectives = 1; objectives <= 3; ++objectives) {
        for (auto const& conditions : all_conditions) {
            auto const space = dse::testing::made_up_space(
                {made_up_machine({.rows = {40, 20, 10, 5, 1}, .depth = up_to(30), .modes = 3}, conditions, "one"),
                 made_up_machine({.rows = {3, 50, 7}, .depth = {2, 20}, .clocks = {1e9, 2e9}}, conditions, "two")},
                objectives);
            SpaceGrids grids(space);
            for (int walk = 0; walk < 25; ++walk)
                walk_down(grids, grids.whole()[random() % 2], random,
                          [&](Box const& box) { expect_bounds(grids, space, box, refused); });
        }
    }
    EXPECT_GT(refused, 100);
}

/// Along rows latency falls and energy rises: their product has no direction, and is bounded by theirs.
TEST(SpaceGrids, bound_formulas_by_the_bounds_of_what_they_read) {
    std::mt19937_64 random(3);
    int refused = 0, tight = 0, boxes = 0;
    for (auto const& objectives :
         std::vector<std::vector<std::string>>{{"latency * energy", "energy"},
                                               {"latency * energy / 2 + latency * 1 J"},
                                               {"latency / speed", "energy"},
                                               {"minimize energy - latency * 0.01 J / 1 s", "latency"}}) {
        auto space = dse::testing::made_up_space(
            {made_up_machine({.rows = {40, 20, 10, 5, 1}, .depth = up_to(30), .modes = 3}, {"energy < 60 J"}, "one")});
        space.set_objectives(space::parse_objectives(space.plain_metrics(), objectives));
        SpaceGrids grids(space);
        for (int walk = 0; walk < 25; ++walk)
            walk_down(grids, grids.whole()[0], random, [&](Box const& box) {
                expect_bounds(grids, space, box, refused);
                auto const bound = grids.bound(box);
                boxes += box.is_point() ? 0 : 1;
                tight += !box.is_point() && bound && (*bound)[0] > 0.0 ? 1 : 0;
            });
    }
    EXPECT_GT(tight, boxes / 4);
}

TEST(SpaceGrids, say_the_same_of_a_box_whatever_was_asked_before) {
    auto const space =
        dse::testing::made_up_space({made_up_machine({.rows = up_to(40), .depth = up_to(30), .modes = 3})});
    SpaceGrids used(space);
    std::mt19937_64 random(2);
    for (int round = 0; round < 300; ++round) {
        Box box = used.whole().front();
        while (!box.is_point() && random() % 6 != 0) {
            auto const [first, second] = box.cut(used.axis_to_cut(box));
            box = random() % 2 == 0 ? first : second;
        }
        SpaceGrids fresh(space);
        ASSERT_EQ(fresh.bound(box), used.bound(box));
        ASSERT_TRUE(box.is_point() || fresh.axis_to_cut(box) == used.axis_to_cut(box));
    }
}

TEST(SpaceGrids, cut_first_where_no_direction_is_known) {
    auto const space =
        dse::testing::made_up_space({made_up_machine({.rows = up_to(40), .depth = up_to(15), .modes = 3})});
    SpaceGrids grids(space);
    auto const whole = grids.whole().front();
    EXPECT_EQ(grids.axes().grids()[0].axes[grids.axis_to_cut(whole)].parameter, 2U) << "the mode, short as it is";
}

}  // namespace
}  // namespace pimdse::dse::search::space_grids_test
