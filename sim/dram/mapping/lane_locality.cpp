#include "sim/dram/mapping/lane_locality.hpp"

#include "sim/base/check.hpp"
#include "sim/dram/mapping/gf2.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace pimdse::sim::dram {
namespace {

std::vector<std::uint64_t> lane_masks(Mapping const& mapping) {
    std::vector<std::uint64_t> masks;
    for (auto const field : {Field::channel, Field::rank, Field::group, Field::bank})
        masks.insert(masks.end(), mapping.masks(field).begin(), mapping.masks(field).end());
    return masks;
}

std::uint64_t image(std::vector<std::uint64_t> const& masks, std::uint64_t address) {
    std::uint64_t lane = 0;
    for (std::size_t i = 0; i < masks.size(); ++i) lane |= gf2::parity(masks[i] & address) << i;
    return lane;
}

/// Images of the single address bits [low, high).
std::vector<std::uint64_t> images(std::vector<std::uint64_t> const& masks, int low, int high) {
    std::vector<std::uint64_t> result;
    for (int bit = low; bit < high; ++bit) result.push_back(image(masks, std::uint64_t{1} << bit));
    return result;
}

/// Representative of a lane modulo a span: equal for lanes that differ by an element of it.
std::uint64_t reduced(std::vector<std::uint64_t> const& basis, std::uint64_t lane) {
    for (auto const b : basis) lane = std::min(lane, lane ^ b);
    return lane;
}

}  // namespace

LaneLocality lane_locality(Mapping const& mapping, TiledMatrix const& matrix) {
    expects(std::has_single_bit(matrix.granularity) && std::has_single_bit(matrix.lanes),
            "granularity and lanes are powers of two");
    std::uint64_t const tile = matrix.granularity * matrix.lanes;
    expects(matrix.base % tile == 0 && (matrix.granularity >> mapping.offset_bits()) != 0,
            "tiles are aligned and a lane's part holds whole bursts");
    int const part_bit = std::countr_zero(matrix.granularity), tile_bit = std::countr_zero(tile);
    auto const masks = lane_masks(mapping);
    // Within a tile no carries occur, so a column's lanes are those of its tiles, each spread by the span of the offset
    // bits.
    auto const spread = gf2::row_echelon(images(masks, mapping.offset_bits(), part_bit));
    LaneLocality result;
    for (std::uint64_t tc = 0; tc < matrix.tile_columns; ++tc) {
        std::vector<std::uint64_t> seen;
        for (std::uint64_t tr = 0; tr < matrix.tile_rows; ++tr) {
            auto const lane = reduced(spread, image(masks, matrix.base + (tc * matrix.tile_rows + tr) * tile));
            if (std::find(seen.begin(), seen.end(), lane) == seen.end()) seen.push_back(lane);
        }
        result.split_factor = std::max(result.split_factor, static_cast<std::uint64_t>(seen.size()) << spread.size());
    }
    auto const lane_bits = images(masks, part_bit, tile_bit);
    result.lanes_used = std::uint64_t{1} << gf2::rank(lane_bits);
    std::uint64_t const inside = (tile - 1) & ~(matrix.granularity - 1);
    bool alike = true;
    for (auto const field : {Field::row, Field::column}) {
        for (auto const mask : mapping.masks(field)) alike = alike && (mask & inside) == 0;
    }
    result.lock_step = alike && result.lanes_used == matrix.lanes;
    return result;
}

}  // namespace pimdse::sim::dram
