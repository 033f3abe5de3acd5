#include "dse/search/box_search.hpp"

#include "sim/base/check.hpp"
#include "synthetic.hpp"

#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <vector>

namespace pimdse::dse::search::pruned_boxes_test {
namespace {

using Point = std::vector<std::uint32_t>;

/// Every point of a box, with its grid in front.
std::vector<Point> points_of(Box const& box) {
    std::vector<Point> all{{box.grid}};
    for (auto const& run : box.axes) {
        std::vector<Point> longer;
        for (auto const& point : all) {
            for (std::uint32_t i = 0; i < run.count; ++i) {
                longer.push_back(point);
                longer.back().push_back(run.first + i);
            }
        }
        all = std::move(longer);
    }
    return all;
}

/// Boxes of several grids with gaps between them, and every point of theirs.
struct Boxes {
    explicit Boxes(std::uint64_t seed) : rng(seed) {
        std::size_t const axes = rng.below(4);
        for (std::uint32_t b = 0, many = 1 + static_cast<std::uint32_t>(rng.below(5)); b < many; ++b) {
            PrunedBoxes::Pruned one{{static_cast<double>(b)}, {b, {}}};
            for (std::size_t a = 0; a < axes; ++a)
                one.box.axes.push_back(
                    {static_cast<std::uint32_t>(rng.below(9)), 1 + static_cast<std::uint32_t>(rng.below(6))});
            for (auto& point : points_of(one.box)) points.insert(std::move(point));
            pruned.add(std::move(one));
        }
    }
    testing::Rng rng;
    PrunedBoxes pruned;
    std::set<Point> points;
};

TEST(PrunedBoxes, have_every_point_at_one_position) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Boxes const boxes(seed);
        ASSERT_EQ(boxes.pruned.points(), boxes.points.size());
        std::set<Point> seen;
        for (std::uint64_t at = 0; at < boxes.pruned.points(); ++at) {
            auto const place = boxes.pruned.at(at);
            ASSERT_TRUE(place.point.is_point());
            EXPECT_EQ(place.box, place.point.grid) << "the box it was taken from";
            EXPECT_EQ(boxes.pruned.ideal_point_of(place)[0], static_cast<double>(place.box));
            seen.insert(points_of(place.point).front());
        }
        EXPECT_EQ(seen, boxes.points);
        EXPECT_THROW((void)boxes.pruned.at(boxes.pruned.points()), sim::ContractViolation);
    }
}

TEST(PrunedBoxes, fall_into_pieces_that_have_all_but_what_was_taken_out) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Boxes boxes(seed);
        auto const all = boxes.points.size();
        std::set<std::uint64_t> taken;
        for (auto left = boxes.rng.below(seed % 3 == 0 ? all + 1 : 5); left > 0; --left) {
            auto const at = boxes.rng.below(all);
            if (!taken.insert(at).second) continue;
            auto const place = boxes.pruned.at(at);
            boxes.pruned.take_out(place);
            boxes.points.erase(points_of(place.point).front());
        }
        EXPECT_EQ(boxes.pruned.points(), all - taken.size());
        std::multiset<Point> left;
        for (auto const& piece : boxes.pruned.pieces()) {
            EXPECT_EQ(piece.ideal[0], static_cast<double>(piece.box.grid)) << "it keeps its box's ideal";
            if (taken.empty()) {
                EXPECT_FALSE(piece.cut);
            }
            for (auto& point : points_of(piece.box)) left.insert(std::move(point));
        }
        EXPECT_EQ(std::multiset<Point>(boxes.points.begin(), boxes.points.end()), left) << seed;
    }
}

TEST(PrunedBoxes, are_cut_a_few_times_around_a_point) {
    PrunedBoxes pruned;
    pruned.add({{}, {0, {{0, 1024}, {0, 1024}}}});
    pruned.take_out(pruned.at(123'456));
    EXPECT_LE(pruned.pieces().size(), 20U) << "one per halving";
    PrunedBoxes none;
    EXPECT_EQ(none.points(), 0U);
    EXPECT_TRUE(none.pieces().empty());
}

TEST(Box, cut_at_any_axis_parts_its_points_in_two) {
    testing::Rng rng(5);
    for (int round = 0; round < 200; ++round) {
        Box box{1, {}};
        for (int a = 0; a < 3; ++a)
            box.axes.push_back(
                {static_cast<std::uint32_t>(rng.below(9)), 1 + static_cast<std::uint32_t>(rng.below(6))});
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (box.axes[axis].count == 1) {
                EXPECT_THROW((void)box.cut(axis), sim::ContractViolation);
                continue;
            }
            auto const [smaller, larger] = box.cut(axis);
            auto parts = points_of(smaller);
            std::ranges::copy(points_of(larger), std::back_inserter(parts));
            std::ranges::sort(parts);
            EXPECT_EQ(parts, points_of(box));
            EXPECT_EQ(smaller.axes[axis].count - larger.axes[axis].count, box.axes[axis].count % 2);
        }
    }
}

}  // namespace
}  // namespace pimdse::dse::search::pruned_boxes_test
