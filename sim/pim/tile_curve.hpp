#pragma once

#include <compare>
#include <cstdint>

namespace pimdse::sim::pim {

/// Tiles follow each other down a tile column (UMDAM), along a tile row, or along a Z curve.
enum class TileCurve : std::uint8_t { column_major, row_major, morton };

/// The tiles of a matrix, numbered along a curve. The Z curve interleaves the bits of row and column as far as both
/// have some, with the rest of the longer side above; it leaves numbers out unless both counts are powers of two.
struct TileGrid {
    std::int64_t rows = 1, columns = 1;
    TileCurve curve = TileCurve::column_major;
    auto operator<=>(TileGrid const&) const = default;

    [[nodiscard]] std::int64_t index(std::int64_t row, std::int64_t column) const;
    /// The inverse of `index`; for a number that is left out, a row or column beyond the last.
    [[nodiscard]] std::int64_t row_of(std::int64_t index) const;
    [[nodiscard]] std::int64_t column_of(std::int64_t index) const;
    [[nodiscard]] bool holds(std::int64_t index) const {
        if (curve != TileCurve::morton) return index < tiles();
        return row_of(index) < rows && column_of(index) < columns;
    }
    [[nodiscard]] std::int64_t tiles() const { return rows * columns; }
    /// One more than the largest number.
    [[nodiscard]] std::int64_t places() const { return index(rows - 1, columns - 1) + 1; }
};

}  // namespace pimdse::sim::pim
