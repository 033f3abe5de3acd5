#include "models/umdam/weight_order.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::dram::BitOrder;
using sim::dram::Field;
using sim::dram::FieldBits;
using sim::dram::Mapping;

int bits_for(std::int64_t count) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1))); }

/// The number of a tile bit in storage, from the bits of tile row and tile column.
int stored_bit(TileCurve curve, int rows, int columns, bool of_row, int bit) {
    if (curve == TileCurve::row_major) return of_row ? columns + bit : bit;
    int const both = std::min(rows, columns);
    if (curve == TileCurve::morton) return bit < both ? 2 * bit + (of_row ? 0 : 1) : both + bit;
    return of_row ? bit : rows + bit;
}

/// For every bit of a position in the order of reading, the bit of the address.
std::vector<int> permutation_of(StoredShape const& s, int address_bits) {
    int const first = std::countr_zero(static_cast<std::uint64_t>(s.tile_bytes()));
    int const rows = bits_for(s.tile_rows), columns = bits_for(s.tile_columns);
    std::vector<int> to;
    std::vector<bool> taken(static_cast<std::size_t>(address_bits));
    auto const take = [&](int bit) {
        if (bit >= address_bits || taken[static_cast<std::size_t>(bit)]) return;
        taken[static_cast<std::size_t>(bit)] = true;
        to.push_back(bit);
    };
    for (int bit = 0; bit < first; ++bit) take(bit);
    for (int bit = 0; bit < rows; ++bit) take(first + stored_bit(s.curve, rows, columns, true, bit));
    for (int bit = 0; bit < columns; ++bit) take(first + stored_bit(s.curve, rows, columns, false, bit));
    for (int bit = 0; bit < address_bits; ++bit) take(bit);
    return to;
}

}  // namespace

Mapping read_by_columns(Mapping const& mapping, StoredShape const& shape, Organisation const& organisation) {
    auto const to = permutation_of(shape, mapping.address_bits());
    Mapping::Masks masks;
    for (std::size_t field = 0; field < sim::dram::field_count; ++field) {
        for (auto const mask : mapping.masks(static_cast<Field>(field))) {
            std::uint64_t moved = 0;
            for (std::size_t bit = 0; bit < to.size(); ++bit) moved |= (mask >> to[bit] & 1U) << bit;
            masks[field].push_back(moved);
        }
    }
    return Mapping::from_masks(std::move(masks), mapping.offset_bits(), organisation);
}

std::uint64_t ColumnOrder::bit_address(std::int64_t k, std::int64_t n) const {
    return static_cast<std::uint64_t>(n * granule() * 8 + k * stored_.element_bits());
}

std::uint64_t ColumnOrder::in_tiles(std::uint64_t bit_address) const {
    std::int64_t const piece = stored_.tile_bytes() / stored_.width() * 8, column = granule() * 8;
    auto const at = static_cast<std::int64_t>(bit_address);
    std::int64_t const n = at / column, in_column = at % column;
    auto const tile = stored_.tile_address(in_column / piece, n / stored_.width()) * 8;
    return tile + static_cast<std::uint64_t>(n % stored_.width() * piece + in_column % piece);
}

BitOrder columns_in_banks(Organisation const& o, std::int64_t column_bytes) {
    auto const log2_of = [](std::int64_t count) { return std::countr_zero(static_cast<std::uint64_t>(count)); };
    int const rows = log2_of(o.rows), columns = log2_of(o.columns());
    int const bursts = bits_for(std::max<std::int64_t>(1, sim::divide_up(column_bytes, o.burst_bytes)));
    int const in_row = std::min(bursts, columns), of_column = bursts - in_row;
    if (of_column > rows)
        throw sim::InputError(
            fmt::format("a column of {} B does not fit a bank of {} rows of {} B", column_bytes, o.rows, o.row_bytes));
    BitOrder order{log2_of(o.burst_bytes), {}};
    auto const append = [&](Field field, int count) {
        if (count > 0) order.parts.emplace_back(FieldBits{field, count});
    };
    append(Field::column, in_row);
    append(Field::row, of_column);
    append(Field::channel, log2_of(o.channels));
    append(Field::rank, log2_of(o.ranks));
    append(Field::group, log2_of(o.bank_groups));
    append(Field::bank, log2_of(o.banks));
    append(Field::column, columns - in_row);
    append(Field::row, rows - of_column);
    return order;
}

}  // namespace pimdse::models::umdam
