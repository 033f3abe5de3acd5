#pragma once

#include "models/umdam/mapping/organisation.hpp"

#include <cstdint>

namespace pimdse::models::umdam {

/// Tiles follow each other down a tile column (UMDAM), along a tile row, or along a Z curve.
enum class TileCurve : std::uint8_t { column_major, row_major, morton };
/// What happens to a last tile row that is not full: padded, or tails of neighbouring tile columns share one tile.
enum class Tail : std::uint8_t { pad, share };
enum class RowPad : std::uint8_t { off, on };

/// How a matrix is cut into tiles. A tile is `height()` elements of each of `tile_width` columns.
struct LayoutOptions {
    std::int64_t interleave = 256;  ///< G, bytes of one column in one tile; a multiple of the burst, at most a row
    std::int64_t element_bytes = 2;
    std::int64_t tile_width = 0;  ///< columns of a tile, a multiple or divisor of the lanes; 0: the number of lanes
    std::int64_t rotation = 0;    ///< tile column tc is shifted by rotation * tc lanes
    std::int64_t split = 1;       ///< lanes a column is spread over on purpose (split-K)
    TileCurve order = TileCurve::column_major;
    Tail tail = Tail::pad;
    RowPad row_pad = RowPad::off;
};

/// Where element (k, n) of W[K][N] (k = input, n = output; y = x W) is stored: the matched weight layout of UMDAM,
/// knowing nothing of the DRAM mapping that later turns the address into bank, row and column.
class Layout {
  public:
    /// Throws InputError when interleave, tile width or split do not fit the organisation.
    Layout(std::int64_t inputs, std::int64_t outputs, Organisation const& organisation, LayoutOptions const& options);

    /// Byte address of element (k, n) relative to the matrix's base; 0 <= k < K, 0 <= n < N.
    [[nodiscard]] std::uint64_t address(std::int64_t k, std::int64_t n) const;

    [[nodiscard]] std::int64_t height() const { return height_; }              ///< h, elements
    [[nodiscard]] std::int64_t width() const { return width_; }                ///< w, columns
    [[nodiscard]] std::int64_t tile_rows() const { return tile_rows_; }        ///< nt_r
    [[nodiscard]] std::int64_t tile_columns() const { return tile_columns_; }  ///< nt_c
    [[nodiscard]] std::int64_t tile_bytes() const { return width_ * options_.interleave; }
    [[nodiscard]] std::int64_t bytes() const { return tiles_ * tile_bytes(); }

  private:
    /// Columns after split-K: `split` times as many, each `split` times shorter.
    [[nodiscard]] std::int64_t stored_columns() const { return outputs_ * options_.split; }
    [[nodiscard]] std::int64_t tile_index(std::int64_t tile_row, std::int64_t tile_column) const;

    LayoutOptions options_;
    std::int64_t inputs_, outputs_, lanes_, row_bytes_;
    std::int64_t height_ = 0, width_ = 0, part_ = 0;  ///< part_: elements of one of the `split` pieces of a column
    std::int64_t tile_rows_ = 0, tile_columns_ = 0, tiles_ = 0;
    std::int64_t full_rows_ = 0, tails_per_tile_ = 1, tail_height_ = 0;
};

}  // namespace pimdse::models::umdam
