#include "sim/pim/tile_curve.hpp"

#include <gtest/gtest.h>
#include <array>
#include <set>
#include <utility>

namespace pimdse::sim::pim::tile_curve_test {
namespace {

constexpr std::array curves{TileCurve::column_major, TileCurve::row_major, TileCurve::morton};

TEST(TileGrid, numbers_every_tile_once_and_finds_it_again) {
    for (auto const curve : curves) {
        for (auto const& [rows, columns] : {std::pair{1, 1}, {6, 12}, {8, 8}, {3, 17}, {32, 2}}) {
            TileGrid const grid{rows, columns, curve};
            std::set<std::int64_t> numbers;
            for (std::int64_t row = 0; row < rows; ++row) {
                for (std::int64_t column = 0; column < columns; ++column) {
                    auto const index = grid.index(row, column);
                    EXPECT_TRUE(grid.holds(index));
                    EXPECT_EQ(grid.row_of(index), row);
                    EXPECT_EQ(grid.column_of(index), column);
                    numbers.insert(index);
                }
            }
            EXPECT_EQ(numbers.size(), static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
            std::int64_t held = 0;
            for (std::int64_t index = 0; index < grid.places(); ++index) held += grid.holds(index) ? 1 : 0;
            EXPECT_EQ(held, grid.tiles());
            EXPECT_EQ(*numbers.rbegin() + 1, grid.places());
        }
    }
}

}  // namespace
}  // namespace pimdse::sim::pim::tile_curve_test
