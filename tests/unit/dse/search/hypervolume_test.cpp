#include "dse/search/hypervolume.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <random>
#include <vector>

namespace pimdse::dse::search::hypervolume_test {
namespace {

using models::Sense;

/// Counts the unit cells of an integer grid that some point dominates.
double cells(std::vector<double> const& points, std::size_t dimensions, int side) {
    std::vector<int> cell(dimensions, 0);
    double count = 0.0;
    while (true) {
        for (std::size_t at = 0; at < points.size(); at += dimensions) {
            bool inside = true;
            for (std::size_t i = 0; i < dimensions; ++i) inside = inside && points[at + i] <= cell[i];
            if (inside) {
                count += 1.0;
                break;
            }
        }
        std::size_t i = 0;
        while (i < dimensions && ++cell[i] == side) cell[i++] = 0;
        if (i == dimensions) return count;
    }
}

std::vector<double> grid_points(std::mt19937_64& random, std::size_t count, std::size_t dimensions, int side) {
    std::vector<double> points;
    // Some lie on or beyond the reference and count nothing.
    for (std::size_t k = 0; k < count * dimensions; ++k)
        points.push_back(static_cast<double>(random() % static_cast<std::uint64_t>(side + 2)));
    return points;
}

TEST(Hypervolume, counts_the_cells_of_a_grid) {
    std::mt19937_64 random(5);
    int const sides[] = {40, 16, 9, 6, 5, 4};
    for (std::size_t dimensions = 1; dimensions <= 6; ++dimensions) {
        int const side = sides[dimensions - 1];
        std::vector<double> const reference(dimensions, side);
        for (int round = 0; round < 60; ++round) {
            auto const points = grid_points(random, 1 + random() % 40, dimensions, side);
            ASSERT_EQ(hypervolume(points, reference), cells(points, dimensions, side))
                << dimensions << " objectives, round " << round;
        }
    }
}

TEST(Hypervolume, grows_by_what_a_point_adds_alone) {
    std::mt19937_64 random(6);
    for (std::size_t dimensions = 1; dimensions <= 6; ++dimensions) {
        std::vector<double> const reference(dimensions, 8.0);
        std::vector<double> points;
        double volume = 0.0;
        for (int k = 0; k < 25; ++k) {
            auto const point = grid_points(random, 1, dimensions, 8);
            volume += exclusive_hypervolume(point, points, reference);
            points.insert(points.end(), point.begin(), point.end());
            ASSERT_EQ(volume, hypervolume(points, reference)) << dimensions << " objectives";
        }
    }
}

TEST(Hypervolume, agrees_with_a_closed_form_on_a_plane) {
    // n points on x + y = 1: the staircase below them has the area (n - 1) / (2 n) of the unit square.
    constexpr int count = 1000;
    std::vector<double> points;
    for (int k = 0; k < count; ++k) {
        points.push_back(static_cast<double>(k) / count);
        points.push_back(1.0 - static_cast<double>(k) / count);
    }
    EXPECT_NEAR(hypervolume(points, std::vector{1.0, 1.0}), (count - 1.0) / (2.0 * count), 1e-12);
}

TEST(Hypervolume, ignores_order_duplicates_and_dominated_points) {
    std::mt19937_64 random(7);
    auto points = grid_points(random, 30, 4, 8);
    std::vector<double> const reference(4, 8.0);
    double const volume = hypervolume(points, reference);
    auto twice = points;
    twice.insert(twice.begin(), points.rbegin(), points.rend());
    for (std::size_t at = 0; at < points.size(); at += 4)
        std::reverse(twice.begin() + static_cast<std::ptrdiff_t>(at),
                     twice.begin() + static_cast<std::ptrdiff_t>(at) + 4);
    EXPECT_EQ(hypervolume(twice, reference), volume);
}

TEST(Hypervolume, of_nothing_and_of_NaN_is_zero) {
    EXPECT_EQ(hypervolume({}, std::vector{1.0, 1.0, 1.0}), 0.0);
    EXPECT_EQ(hypervolume(std::vector{std::nan(""), 0.0}, std::vector{1.0, 1.0}), 0.0);
}

TEST(ObjectiveBox, grows_around_what_it_is_shown) {
    auto box = ObjectiveBox::around_nothing({Sense::minimize, Sense::maximize});
    box.include(std::vector{2.0, 10.0});
    box.include(std::vector{4.0, 30.0});
    box.include(std::vector{std::nan(""), 99.0});
    EXPECT_EQ(box.ideal, (std::vector{2.0, 30.0}));
    EXPECT_EQ(box.reference, (std::vector{4.0, 10.0}));
    std::vector<double> normal(2);
    box.normalise(std::vector{3.0, 15.0}, normal);
    EXPECT_EQ(normal, (std::vector{0.5, 0.75}));
}

TEST(ObjectiveBox, gives_an_objective_without_extent_full_weight) {
    ObjectiveBox const box{{Sense::minimize, Sense::minimize}, {1.0, 5.0}, {3.0, 5.0}};
    EXPECT_DOUBLE_EQ(dominated_share(std::vector{2.0, 5.0}, box), 0.5);
}

TEST(ObjectiveBox, share_is_the_same_for_mirrored_objectives) {
    ObjectiveBox const down{{Sense::minimize, Sense::minimize}, {0.0, 0.0}, {4.0, 4.0}};
    ObjectiveBox const up{{Sense::maximize, Sense::minimize}, {0.0, 0.0}, {-4.0, 4.0}};
    EXPECT_DOUBLE_EQ(dominated_share(std::vector{1.0, 2.0, 3.0, 1.0}, down),
                     dominated_share(std::vector{-1.0, 2.0, -3.0, 1.0}, up));
    EXPECT_DOUBLE_EQ(dominated_share(std::vector{1.0, 2.0, 3.0, 1.0}, down), (3.0 * 2.0 + 1.0 * 1.0) / 16.0);
}

}  // namespace
}  // namespace pimdse::dse::search::hypervolume_test
