#include "sim/pim/tile_curve.hpp"

#include <algorithm>
#include <bit>

namespace pimdse::sim::pim {
namespace {

constexpr int word_bits = 32;

std::int64_t spread_bits(std::int64_t value) {
    auto const word = static_cast<std::uint64_t>(value);
    std::uint64_t spread = 0;
    for (int bit = 0; bit < word_bits; ++bit) spread |= (word >> bit & 1U) << (2 * bit);
    return static_cast<std::int64_t>(spread);
}

std::int64_t even_bits(std::int64_t value) {
    auto const word = static_cast<std::uint64_t>(value);
    std::uint64_t even = 0;
    for (int bit = 0; bit < word_bits; ++bit) even |= (word >> (2 * bit) & 1U) << bit;
    return static_cast<std::int64_t>(even);
}

/// Number of bits of a row, or of a column, that the Z curve interleaves.
int interleaved_bits(TileGrid const& grid) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::min(grid.rows, grid.columns) - 1)));
}

/// Row or column of a number of the Z curve; the longer side has the bits above.
std::int64_t of_z(TileGrid const& grid, std::int64_t index, bool row) {
    int const bits = interleaved_bits(grid);
    std::int64_t const mask = (std::int64_t{1} << 2 * bits) - 1;
    bool const longer = (grid.rows >= grid.columns) == row;
    return even_bits((index & mask) >> (row ? 0 : 1)) | (longer ? index >> 2 * bits << bits : 0);
}

}  // namespace

std::int64_t TileGrid::index(std::int64_t row, std::int64_t column) const {
    if (curve == TileCurve::row_major) return row * columns + column;
    if (curve == TileCurve::column_major) return column * rows + row;
    int const bits = interleaved_bits(*this);
    std::int64_t const mask = (std::int64_t{1} << bits) - 1;
    return spread_bits(row & mask) | spread_bits(column & mask) << 1 | (row >> bits | column >> bits) << 2 * bits;
}

std::int64_t TileGrid::row_of(std::int64_t index) const {
    if (curve == TileCurve::row_major) return index / columns;
    return curve == TileCurve::morton ? of_z(*this, index, true) : index % rows;
}

std::int64_t TileGrid::column_of(std::int64_t index) const {
    if (curve == TileCurve::row_major) return index % columns;
    return curve == TileCurve::morton ? of_z(*this, index, false) : index / rows;
}

}  // namespace pimdse::sim::pim
