#include "dse/search/space_grids.hpp"

#include "sim/base/check.hpp"
#include "tests/unit/dse/made_up_space.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace pimdse::dse::search::space_axes_test {
namespace {

using dse::testing::made_up_machine;
using dse::testing::up_to;
using search::Box;

/// Two machines whose axes differ in number, length and direction.
space::Space two_machines(std::size_t objectives = 2) {
    return dse::testing::made_up_space(
        {made_up_machine({.rows = {16, 8, 4, 2}, .depth = {3}, .modes = 3}, {}, "one"),
         made_up_machine({.rows = up_to(3), .depth = {1, 2, 9, 4}, .modes = 1, .clocks = {1e9, 2e9}}, {}, "two")},
        objectives);
}

/// Ids of a box, the slow way: every position of every axis.
std::set<std::uint64_t> ids_of(SpaceAxes const& axes, Box const& box) {
    auto const count = axes.grids()[box.grid].axes.size();
    std::set<std::uint64_t> ids;
    for (std::uint64_t n = 0; n < box.points(); ++n) {
        SpaceAxes::Positions positions(count);
        std::uint64_t rest = n;
        for (std::size_t a = 0; a < count; ++a) {
            positions[a] = box.axes[a].first + static_cast<std::uint32_t>(rest % box.axes[a].count);
            rest /= box.axes[a].count;
        }
        ids.insert(index_of(axes.at(box, positions)));
    }
    return ids;
}

/// Halves of halves, until a coin says stop.
Box random_part(Box box, std::mt19937_64& random) {
    while (!box.is_point() && random() % 5 != 0) {
        std::size_t const axis = random() % box.axes.size();
        if (box.axes[axis].count < 2) continue;
        auto const [first, second] = box.cut(axis);
        box = random() % 2 == 0 ? first : second;
    }
    return box;
}

TEST(SpaceAxes, number_every_point_of_every_machine_once) {
    auto const space = two_machines();
    SpaceAxes const axes(space);
    std::set<std::uint64_t> all;
    for (auto const& box : axes.whole()) {
        auto const ids = ids_of(axes, box);
        EXPECT_EQ(ids.size(), space.machines()[box.grid].size());
        all.insert(ids.begin(), ids.end());
    }
    EXPECT_EQ(all.size(), space.size());
    EXPECT_EQ(*all.rbegin(), space.size() - 1);
}

TEST(SpaceAxes, find_a_box_again_by_its_smallest_id_and_its_extents) {
    auto const space = two_machines();
    SpaceAxes const axes(space);
    auto const numbering = axes.numbering();
    std::mt19937_64 random(1);
    for (int round = 0; round < 500; ++round) {
        auto const box = random_part(axes.whole()[random() % 2], random);
        std::vector<std::uint32_t> counts;
        for (auto const& run : box.axes) counts.push_back(run.count);
        auto const first = axes.at(box, {});
        ASSERT_EQ(axes.box_of(first, counts), box);
        auto const ids = ids_of(axes, box);
        ASSERT_EQ(ids.size(), box.points()) << "no point twice";
        ASSERT_EQ(*ids.begin(), index_of(first)) << "the first is the smallest";
        ASSERT_EQ(counts.size(), numbering[box.grid].sizes.size());
        counts[random() % axes.grids()[box.grid].axes.size()] = 5;
        ASSERT_THROW((void)axes.box_of(first, counts), sim::ContractViolation) << "beyond its grid";
    }
}

TEST(SpaceAxes, have_the_best_bounds_where_the_slope_and_the_order_of_values_say) {
    auto const space = two_machines(3);
    SpaceAxes const axes(space);
    auto const& one = axes.grids()[0].axes;
    ASSERT_EQ(one.size(), 2U) << "an axis with one value is none";
    EXPECT_EQ(one[0].best, (std::vector{BestEnd::first, BestEnd::last, BestEnd::unknown})) << "rows fall";
    EXPECT_TRUE(one[0].ordered);
    EXPECT_FALSE(one[1].ordered) << "modes are names";
    EXPECT_EQ(one[1].best, std::vector<BestEnd>(3, BestEnd::unknown));
    auto const& two = axes.grids()[1].axes;
    ASSERT_EQ(two.size(), 3U);
    EXPECT_EQ(two[0].best, (std::vector{BestEnd::last, BestEnd::first, BestEnd::unknown})) << "rows grow";
    EXPECT_EQ(two[1].best, std::vector<BestEnd>(3, BestEnd::unknown)) << "1, 2, 9, 4 neither grow nor fall";
    EXPECT_EQ(two[2].best, (std::vector{BestEnd::any, BestEnd::any, BestEnd::unknown}));
    EXPECT_EQ(axes.grids()[1].own_metrics, (std::vector<int>{0, 1, 2})) << "highs of what is maximised, too";
}

TEST(SpaceAxes, count_the_boxes_that_no_direction_joins) {
    auto const space = two_machines(2);
    SpaceAxes const axes(space);
    EXPECT_EQ(axes.min_boxes(), 3.0 + 4.0) << "modes of one machine, depths of the other";
    EXPECT_EQ(axes.undeclared(), (std::vector<std::string>{"mode", "depth"}));
    std::mt19937_64 random(2);
    for (int round = 0; round < 200; ++round) {
        auto const box = random_part(axes.whole()[random() % 2], random);
        auto const cell = axes.cell_of(box);
        auto const inside = ids_of(axes, box), all = ids_of(axes, cell);
        ASSERT_TRUE(std::includes(all.begin(), all.end(), inside.begin(), inside.end()));
        ASSERT_EQ(axes.cell_of(cell), cell);
    }
}

TEST(SpaceAxes, of_a_box_lead_to_its_point_with_the_smallest_bound) {
    auto const space = two_machines(2);
    SpaceAxes const axes(space);
    std::mt19937_64 random(3);
    std::vector<models::Value> point;
    auto const lower = [&](std::uint64_t id, std::size_t objective) {
        space.decode(space::PointId{id}, point);
        auto const outcome = dse::testing::made_up_outcome({}, point, models::Fidelity::analytic);
        return std::get<models::Metrics>(outcome)[objective].lower;
    };
    int known = 0;
    for (int round = 0; round < 500; ++round) {
        auto const box = random_part(axes.whole()[random() % 2], random);
        for (std::size_t objective = 0; objective < 2; ++objective) {
            auto const ideal = axes.best_corner(box, objective);
            if (!ideal) continue;
            ++known;
            auto const at_corner = axes.at(box, *ideal);
            ASSERT_TRUE(ids_of(axes, box).contains(index_of(at_corner)));
            for (auto const id : ids_of(axes, box))
                ASSERT_LE(lower(index_of(at_corner), objective), lower(id, objective));
        }
    }
    EXPECT_GT(known, 300);
}

}  // namespace
}  // namespace pimdse::dse::search::space_axes_test
