#pragma once

#include "models/umdam/design.hpp"
#include "models/umdam/written_mapping.hpp"
#include "sim/dram/gf2.hpp"
#include "sim/dram/mapping.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pimdse::models::umdam {

enum class RowPad : std::uint8_t { off, on };

/// How a matrix is cut into tiles. A tile contains `height()` elements of each of `tile_width` columns.
struct LayoutOptions {
    std::int64_t interleave = 256;  ///< G, bytes of one column in one tile; a multiple of the burst, at most a row
    std::int64_t element_bits = 16;
    std::int64_t tile_width = 0;  ///< columns of a tile, a multiple or divisor of the lanes; 0: the number of lanes
    std::int64_t rotation = 0;    ///< tile column tc is shifted by rotation * tc lanes
    std::int64_t split = 1;       ///< number of lanes that a column is deliberately spread over (split-K)
    TileCurve order = TileCurve::column_major;
    RowPad row_pad = RowPad::off;
};

/// Address of element (k, n) of W[K][N] (k = input, n = output; y = x W): the matched weight layout of UMDAM. It is
/// independent of the DRAM mapping, which translates the address into bank, row and column.
class Layout {
  public:
    /// Throws InputError if interleave, tile width or split do not fit the organisation.
    Layout(std::int64_t inputs, std::int64_t outputs, Organisation const& organisation, LayoutOptions const& options);

    /// Byte address of element (k, n) relative to the matrix's base; 0 <= k < K, 0 <= n < N.
    [[nodiscard]] std::uint64_t address(std::int64_t k, std::int64_t n) const { return bit_address(k, n) / 8; }
    /// The same in bits: elements of less than a byte share one.
    [[nodiscard]] std::uint64_t bit_address(std::int64_t k, std::int64_t n) const;

    /// Byte address of the first element of a tile.
    [[nodiscard]] std::uint64_t tile_address(std::int64_t tile_row, std::int64_t tile_column) const {
        return static_cast<std::uint64_t>(grid().index(tile_row, tile_column) * tile_bytes());
    }

    [[nodiscard]] std::int64_t inputs() const { return inputs_; }
    [[nodiscard]] std::int64_t outputs() const { return outputs_; }
    [[nodiscard]] std::int64_t element_bits() const { return options_.element_bits; }
    [[nodiscard]] std::int64_t split() const { return options_.split; }
    [[nodiscard]] std::int64_t part() const { return part_; }                  ///< inputs of a part of a column
    [[nodiscard]] std::int64_t height() const { return height_; }              ///< h, elements
    [[nodiscard]] std::int64_t width() const { return width_; }                ///< w, columns
    [[nodiscard]] std::int64_t tile_rows() const { return tile_rows_; }        ///< nt_r
    [[nodiscard]] std::int64_t tile_columns() const { return tile_columns_; }  ///< nt_c
    [[nodiscard]] std::int64_t tile_bytes() const { return width_ * options_.interleave; }
    [[nodiscard]] std::int64_t bytes() const { return grid().places() * tile_bytes(); }

  private:
    [[nodiscard]] TileGrid grid() const { return {tile_rows_, tile_columns_, options_.order}; }

    LayoutOptions options_;
    std::int64_t inputs_, outputs_;
    std::int64_t height_ = 0, width_ = 0, part_ = 0;  ///< part_: elements of one of the `split` parts of a column
    std::int64_t tile_rows_ = 0, tile_columns_ = 0;
};

/// How a mapping distributes the columns of a stored matrix over the banks.
struct Locality {
    /// Banks that one column touches, in the worst tile column; 1: PIM needs no sums across banks.
    std::int64_t split = 1;
    /// Number of these banks in one channel, whose global buffer needs the inputs of all of them.
    std::int64_t inside = 1;
    /// Different inputs that banks of a channel hold at the same row and column; an all-bank MAC is issued for each.
    std::int64_t phases = 1;
    std::int64_t busiest = 0;  ///< bytes of the matrix in the bank that holds the most
    bool lock_step = true;     ///< row and column are the same in all banks
};

/// A matrix in the layout of Layout without rotation or split: tiles of `width` columns x `interleave`
/// bytes along a curve.
struct StoredShape {
    std::int64_t tile_rows = 1, tile_columns = 1;
    std::int64_t interleave = 256, width = 64;
    TileCurve curve = TileCurve::column_major;
    [[nodiscard]] TileGrid grid() const { return {tile_rows, tile_columns, curve}; }
    [[nodiscard]] std::int64_t tiles() const { return grid().places(); }  ///< with numbers that a curve leaves out
    [[nodiscard]] std::int64_t tile_bytes() const { return interleave * width; }
    auto operator<=>(StoredShape const&) const = default;
};

/// Checks the mapping against the layout. Width and interleave are powers of two. The matrix starts at a multiple of
/// its size rounded up to a power of two (address bits above are constant). Phases are counted over `tiles` tiles.
[[nodiscard]] Locality locality_of(sim::dram::Mapping const& mapping, StoredShape const& shape, double tiles);

/// Whether locality_of finds split == 1 and lock_step; faster, because violations are not counted.
[[nodiscard]] bool is_legal(sim::dram::Mapping const& mapping, StoredShape const& shape);

/// Images of whole numbers under a linear map over GF(2), in coordinates of the image space. The numbers below 1 << j
/// have exactly the images below 1 << d for some d, each equally often. So the images of a run of consecutive numbers
/// form a few aligned ranges, and the run need not be enumerated.
class LinearImages {
  public:
    using Word = sim::dram::gf2::Word;

    /// `bits` contains the contribution of each bit of a number to its image. Images that differ by a sum of words in
    /// `alike` count as equal. Each span has at most 64 words.
    LinearImages(std::span<Word const> alike, std::span<Word const> bits);

    /// Dimension of the span of `alike`, and of the images that are distinguished.
    [[nodiscard]] int alike() const { return alike_; }
    [[nodiscard]] int dimension() const { return below_[count_]; }

    /// Number of different images of the `count` numbers from `first` on, all below 1 << bits.size().
    [[nodiscard]] std::int64_t different(std::uint64_t first, std::uint64_t count) const;
    /// Largest number of different images in one of `times` consecutive runs of `count` numbers each, starting at 0.
    /// The search ends at a run with more than `enough` images.
    [[nodiscard]] std::int64_t max_different(std::uint64_t count, std::uint64_t times, std::int64_t enough) const;
    /// How many of the numbers below `count` have the most frequent image.
    [[nodiscard]] std::int64_t max_alike(std::uint64_t count) const;
    [[nodiscard]] Word image(std::uint64_t number) const;

  private:
    struct Basis;
    /// Consecutive numbers whose images fill an aligned range of 1 << dimension.
    struct Block {
        Word image;  ///< image of the first number
        int bits;    ///< the block has 1 << bits numbers
    };
    static constexpr std::size_t max_blocks = 128;
    using Blocks = std::array<Block, max_blocks>;
    std::size_t cut(std::uint64_t first, std::uint64_t end, Blocks& blocks) const;
    [[nodiscard]] bool holds(Block const& outer, Block const& inner) const;
    /// Upper bound of the different images of a run of `count` numbers, wherever it begins.
    [[nodiscard]] std::int64_t limit(std::uint64_t count) const;
    /// Number of runs of `count` numbers after which the images repeat.
    [[nodiscard]] std::uint64_t period(std::uint64_t count) const;

    std::size_t count_ = 0;
    int alike_ = 0;
    std::array<Word, 64> of_bit_{};  ///< coordinates of the image of each bit
    std::array<int, 65> below_{};    ///< dimension of the images of numbers below 1 << j
};

}  // namespace pimdse::models::umdam
