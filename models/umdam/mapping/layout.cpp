#include "models/umdam/mapping/layout.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>

namespace pimdse::models::umdam {
namespace {

std::uint64_t spread_bits(std::uint64_t value) {
    std::uint64_t spread = 0;
    for (int bit = 0; bit < 32; ++bit) spread |= (value >> bit & 1U) << (2 * bit);
    return spread;
}

void check_options(Organisation const& organisation, LayoutOptions const& o) {
    if (o.interleave % organisation.burst_bytes != 0 || o.interleave < 1 ||
        organisation.row_bytes % o.interleave != 0) {
        throw sim::InputError(fmt::format(
            "interleave = {} B cuts no row evenly (it must be a multiple of the {} B burst that divides the {} B row)",
            o.interleave, organisation.burst_bytes, organisation.row_bytes));
    }
    std::int64_t const banks = lanes(organisation);
    if (o.tile_width < 0 || (o.tile_width != 0 && o.tile_width % banks != 0 && banks % o.tile_width != 0)) {
        throw sim::InputError(fmt::format("tile width {} does not fit {} banks (it must be a multiple or a divisor)",
                                          o.tile_width, banks));
    }
    if (o.split < 1 || !std::has_single_bit(static_cast<std::uint64_t>(o.split)) || o.split > banks) {
        throw sim::InputError(fmt::format(
            "split = {} is no way to cut a column (it must be a power of two of at most {} banks)", o.split, banks));
    }
}

}  // namespace

Layout::Layout(std::int64_t inputs, std::int64_t outputs, Organisation const& organisation,
               LayoutOptions const& options)
    : options_(options),
      inputs_(inputs),
      outputs_(outputs),
      lanes_(lanes(organisation)),
      row_bytes_(organisation.row_bytes) {
    sim::expects(inputs >= 1 && outputs >= 1, "a matrix has rows and columns");
    check_options(organisation, options);
    height_ = options.interleave / options.element_bytes;
    width_ = options.tile_width == 0 ? lanes_ : options.tile_width;
    std::int64_t const row_elements = row_bytes_ / options.element_bytes;
    part_ = sim::divide_up(inputs, options.split);
    std::int64_t const stored = options.row_pad == RowPad::on ? sim::round_up(part_, row_elements) : part_;
    tile_rows_ = sim::divide_up(stored, height_);
    tile_columns_ = sim::divide_up(stored_columns(), width_);
    full_rows_ = tile_rows_;
    std::int64_t const tail = stored % height_;
    if (options.tail == Tail::share && tail != 0 && options.order == TileCurve::column_major) {
        full_rows_ = tile_rows_ - 1;
        tail_height_ = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tail)));
        tails_per_tile_ = std::max<std::int64_t>(1, height_ / tail_height_);
    }
    tiles_ = tile_index(tile_rows_ - 1, tile_columns_ - 1) + 1;
    if (full_rows_ != tile_rows_) tiles_ = tile_columns_ * full_rows_ + sim::divide_up(tile_columns_, tails_per_tile_);
}

std::int64_t Layout::tile_index(std::int64_t tile_row, std::int64_t tile_column) const {
    switch (options_.order) {
        case TileCurve::row_major:
            return tile_row * tile_columns_ + tile_column;
        case TileCurve::morton:
            return static_cast<std::int64_t>(spread_bits(static_cast<std::uint64_t>(tile_row)) |
                                             spread_bits(static_cast<std::uint64_t>(tile_column)) << 1);
        case TileCurve::column_major:
            break;
    }
    if (full_rows_ == tile_rows_) return tile_column * tile_rows_ + tile_row;
    std::int64_t const group = tile_column / tails_per_tile_;
    std::int64_t const columns = std::min(tails_per_tile_, tile_columns_ - group * tails_per_tile_);
    std::int64_t const start = group * (tails_per_tile_ * full_rows_ + 1);
    return tile_row == full_rows_ ? start + columns * full_rows_
                                  : start + (tile_column % tails_per_tile_) * full_rows_ + tile_row;
}

std::uint64_t Layout::address(std::int64_t k, std::int64_t n) const {
    sim::expects(k >= 0 && k < inputs_ && n >= 0 && n < outputs_, "the element is inside the matrix");
    std::int64_t const column = n * options_.split + k / part_;
    std::int64_t const row = k % part_;
    std::int64_t const tile_row = row / height_;
    std::int64_t const tile_column = column / width_;
    std::int64_t in_tile = row % height_;
    if (full_rows_ != tile_rows_ && tile_row == full_rows_) in_tile += (tile_column % tails_per_tile_) * tail_height_;
    std::int64_t const lane = (column % width_ + options_.rotation * tile_column) % width_;
    return static_cast<std::uint64_t>(tile_index(tile_row, tile_column) * tile_bytes() + lane * options_.interleave +
                                      in_tile * options_.element_bytes);
}

}  // namespace pimdse::models::umdam
