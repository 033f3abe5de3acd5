#pragma once

#include "models/umdam/written_mapping.hpp"
#include "sim/dram/gf2.hpp"
#include "sim/dram/mapping.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

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

/// How the columns of a stored matrix meet the banks under a mapping.
struct Locality {
    std::int64_t split = 1;   ///< banks one column touches, the worst tile column; 1: PIM needs no sums across banks
    std::int64_t inside = 1;  ///< of them inside one channel: its global buffer needs that many times the inputs of one
    std::int64_t phases =
        1;  ///< inputs that banks of a channel hold at the same row and column: all-bank MACs are given for each
    std::int64_t busiest = 0;  ///< bytes of the matrix in the bank that holds most
    bool lock_step = true;     ///< row and column within a bank are equal in all banks
};

/// A matrix stored as Layout does by default: tiles of `lanes` columns x `interleave` bytes, tile column after tile
/// column.
struct StoredShape {
    std::int64_t tile_rows = 1, tile_columns = 1;
    std::int64_t interleave = 256, lanes = 64;
    [[nodiscard]] std::int64_t tiles() const { return tile_rows * tile_columns; }
    [[nodiscard]] std::int64_t tile_bytes() const { return interleave * lanes; }
    auto operator<=>(StoredShape const&) const = default;
};

/// Checks the mapping against the layout. lanes and interleave are powers of two; the matrix starts at a multiple of
/// the next power of two of its size (address bits above it are constant). Phases are counted over so many tiles.
[[nodiscard]] Locality locality_of(sim::dram::Mapping const& mapping, StoredShape const& shape, double tiles);

/// Whether locality_of finds split == 1 and lock_step, without counting how badly it fails.
[[nodiscard]] bool is_legal(sim::dram::Mapping const& mapping, StoredShape const& shape);

/// Images of whole numbers under a linear map over GF(2), in coordinates of the images themselves: the numbers below
/// 1 << j have exactly the images below 1 << d for some d, each equally often, so that those of a run of numbers are a
/// few aligned ranges and nobody has to walk the run.
class LinearImages {
  public:
    using Word = sim::dram::gf2::Word;

    /// `bits` says what each bit of a number adds to its image; images that differ by a sum of `alike` are one.
    /// At most 64 of either.
    LinearImages(std::span<Word const> alike, std::span<Word const> bits);

    /// Dimension of what `alike` spans, and of the images that are told apart.
    [[nodiscard]] int alike() const { return alike_; }
    [[nodiscard]] int dimension() const { return below_[count_]; }

    /// Different images of the numbers from `first` on, `count` of them, all below 1 << bits.size().
    [[nodiscard]] std::int64_t different(std::uint64_t first, std::uint64_t count) const;
    /// The most of them that one of these runs has: `times` of them, `count` numbers each, one behind the other from 0.
    /// Stops looking at one that has more than `enough`.
    [[nodiscard]] std::int64_t max_different(std::uint64_t count, std::uint64_t times, std::int64_t enough) const;
    /// How many of the numbers below `count` have the image that most of them have.
    [[nodiscard]] std::int64_t max_alike(std::uint64_t count) const;

  private:
    struct Basis;
    /// Numbers first, first + 1, ... of a run whose images fill an aligned range of 1 << dimension.
    struct Block {
        Word image;  ///< of its first number
        int bits;    ///< 1 << bits numbers
    };
    static constexpr std::size_t max_blocks = 128;
    using Blocks = std::array<Block, max_blocks>;
    std::size_t cut(std::uint64_t first, std::uint64_t behind, Blocks& blocks) const;
    [[nodiscard]] Word image(std::uint64_t number) const;
    [[nodiscard]] bool holds(Block const& outer, Block const& inner) const;
    /// More than a run of `count` cannot have, wherever it begins.
    [[nodiscard]] std::int64_t limit(std::uint64_t count) const;
    /// Runs of `count` numbers behind this many have the images of earlier ones.
    [[nodiscard]] std::uint64_t period(std::uint64_t count) const;

    std::size_t count_ = 0;
    int alike_ = 0;
    std::array<Word, 64> of_bit_{};  ///< coordinates
    std::array<int, 65> below_{};    ///< dimension of the images of numbers below 1 << j
};

}  // namespace pimdse::models::umdam
