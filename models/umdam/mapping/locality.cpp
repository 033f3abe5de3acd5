#include "models/umdam/mapping/locality.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/dram/mapping/gf2.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Field;
using sim::dram::Mapping;
namespace gf2 = sim::dram::gf2;

std::vector<std::uint64_t> masks_of(Mapping const& mapping, std::initializer_list<Field> fields) {
    std::vector<std::uint64_t> masks;
    for (auto const field : fields) masks.insert(masks.end(), mapping.masks(field).begin(), mapping.masks(field).end());
    return masks;
}

std::uint64_t image(std::vector<std::uint64_t> const& masks, std::uint64_t address) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < masks.size(); ++i) word |= gf2::parity(masks[i] & address) << i;
    return word;
}

/// Images of the address bits [first, last), one word per bit.
std::vector<std::uint64_t> images(std::vector<std::uint64_t> const& masks, int first, int last) {
    std::vector<std::uint64_t> words;
    for (int bit = first; bit < last; ++bit) words.push_back(image(masks, std::uint64_t{1} << bit));
    return words;
}

/// What is left of a word after subtracting the span of a reduced basis.
std::uint64_t reduced(std::uint64_t word, std::vector<std::uint64_t> const& basis) {
    for (auto const row : basis) word = std::min(word, word ^ row);
    return word;
}

/// Different images of one matrix column: over the bits inside a tile and over the tiles of the column. Stops counting
/// beyond `enough`.
std::int64_t spread(std::vector<std::uint64_t> const& masks, int offset_bits, StoredShape const& s,
                    std::int64_t enough = INT64_MAX) {
    int const low = std::countr_zero(static_cast<std::uint64_t>(s.interleave));
    std::uint64_t const tile_bytes = static_cast<std::uint64_t>(s.interleave * s.lanes);
    auto const inside = gf2::row_echelon(images(masks, offset_bits, low));
    std::int64_t const inside_count = std::int64_t{1} << inside.size();
    bool const reads_tiles =
        std::any_of(masks.begin(), masks.end(), [&](std::uint64_t mask) { return mask >= tile_bytes; });
    if (!reads_tiles || inside_count > enough) return inside_count;
    std::int64_t most = 1;
    for (std::int64_t column = 0; column < s.tile_columns; ++column) {
        std::set<std::uint64_t> seen;
        for (std::int64_t row = 0; row < s.tile_rows && inside_count * most <= enough; ++row) {
            seen.insert(
                reduced(image(masks, static_cast<std::uint64_t>(column * s.tile_rows + row) * tile_bytes), inside));
            most = std::max(most, static_cast<std::int64_t>(seen.size()));
        }
    }
    return most * inside_count;
}

bool rows_agree(Mapping const& mapping, int low, int high) {
    auto const inside_bank = masks_of(mapping, {Field::row, Field::column});
    auto const lane = masks_of(mapping, {Field::channel, Field::rank, Field::group, Field::bank});
    return gf2::rank(images(inside_bank, low, high)) + gf2::rank(images(lane, low, high)) <=
           static_cast<std::size_t>(high - low);
}

/// Bytes of the matrix in the bank that holds most: tiles fill the banks they reach evenly, but need not all reach the
/// same ones.
std::int64_t busiest_bank(std::vector<std::uint64_t> const& lane, int offset_bits, StoredShape const& s) {
    int const high = std::countr_zero(static_cast<std::uint64_t>(s.tile_bytes()));
    auto const reached = gf2::row_echelon(images(lane, offset_bits, high));
    std::map<std::uint64_t, std::int64_t> tiles;
    for (std::int64_t tile = 0; tile < s.tiles(); ++tile)
        ++tiles[reduced(image(lane, static_cast<std::uint64_t>(tile * s.tile_bytes())), reached)];
    std::int64_t most = 0;
    for (auto const& [banks, count] : tiles) most = std::max(most, count);
    return most * s.tile_bytes() >> reached.size();
}

/// A basis of the addresses that no mask sees.
std::vector<std::uint64_t> unseen_by(std::vector<std::uint64_t> const& masks, int first, int last) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pivots;  // image, address
    std::vector<std::uint64_t> kernel;
    for (int bit = first; bit < last; ++bit) {
        std::uint64_t address = std::uint64_t{1} << bit, word = image(masks, address);
        for (auto const& [pivot, from] : pivots) {
            if ((word ^ pivot) < word) word ^= pivot, address ^= from;
        }
        if (word == 0)
            kernel.push_back(address);
        else
            pivots.emplace_back(word, address);
    }
    return kernel;
}

/// Most different inputs k that banks of one channel hold at the same row and column, over `enough` tiles or more.
std::int64_t inputs_at_one_place(Mapping const& mapping, StoredShape const& s, std::int64_t enough) {
    int const low = std::countr_zero(static_cast<std::uint64_t>(s.interleave)),
              high = std::countr_zero(static_cast<std::uint64_t>(s.tile_bytes()));
    std::uint64_t const lanes = (std::uint64_t{1} << high) - (std::uint64_t{1} << low);
    auto others = unseen_by(masks_of(mapping, {Field::channel, Field::row, Field::column}), mapping.offset_bits(),
                            mapping.address_bits());
    for (auto& address : others) address &= ~lanes;
    std::vector<std::uint64_t> together{0};
    for (auto const address : gf2::row_echelon(others)) {
        for (std::size_t i = 0, count = together.size(); i < count; ++i) together.push_back(together[i] ^ address);
    }
    std::size_t most = 1;
    std::int64_t const step = std::max<std::int64_t>(1, s.tiles() / enough) | 1;  // odd: meets every row of tiles
    for (std::int64_t tile = 0; tile < s.tiles(); tile += step) {
        std::set<std::pair<std::int64_t, std::uint64_t>> inputs;
        for (auto const other : together) {
            auto const address = static_cast<std::uint64_t>(tile * s.tile_bytes()) ^ other;
            auto const there = static_cast<std::int64_t>(address >> high);
            if (there < s.tiles()) inputs.emplace(there % s.tile_rows, address & ((std::uint64_t{1} << low) - 1));
        }
        most = std::max(most, inputs.size());
    }
    return static_cast<std::int64_t>(most);
}

}  // namespace

bool is_legal(Mapping const& mapping, StoredShape const& s) {
    auto const lane = masks_of(mapping, {Field::channel, Field::rank, Field::group, Field::bank});
    int const low = std::countr_zero(static_cast<std::uint64_t>(s.interleave));
    int const high = low + std::countr_zero(static_cast<std::uint64_t>(s.lanes));
    return rows_agree(mapping, low, high) && spread(lane, mapping.offset_bits(), s, 1) == 1;
}

Locality locality_of(Mapping const& mapping, StoredShape const& s, double tiles) {
    sim::expects(std::has_single_bit(static_cast<std::uint64_t>(s.lanes)) &&
                     std::has_single_bit(static_cast<std::uint64_t>(s.interleave)),
                 "a bit mapping has powers of two");
    auto const lane = masks_of(mapping, {Field::channel, Field::rank, Field::group, Field::bank});
    int const low = std::countr_zero(static_cast<std::uint64_t>(s.interleave));
    int const high = low + std::countr_zero(static_cast<std::uint64_t>(s.lanes));
    Locality result;
    result.split = spread(lane, mapping.offset_bits(), s);
    result.inside =
        std::max<std::int64_t>(1, result.split / spread(mapping.masks(Field::channel), mapping.offset_bits(), s));
    result.phases = inputs_at_one_place(mapping, s, sim::whole_part(tiles));
    result.busiest = busiest_bank(lane, mapping.offset_bits(), s);
    result.lock_step = rows_agree(mapping, low, high);
    return result;
}

}  // namespace pimdse::models::umdam
