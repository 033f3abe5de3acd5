#include "models/umdam/layout.hpp"
#include "models/umdam/weight_layouts.hpp"
#include "models/umdam/weight_order.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/umdam/organisations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// Columns of column_in_bank, element by element.
namespace pimdse::models::umdam::column_order_test {
namespace {

using sim::dram::Mapping;
using testing::paper_organisation;

struct Stored {
    std::int64_t inputs, outputs, piece, bits;
};

std::vector<Stored> awkward() {
    std::vector<Stored> list;
    for (auto const& [inputs, outputs] : {std::pair{768, 768}, {11008, 130}, {1, 1}, {17, 65}, {1025, 63}, {300, 200}})
        for (std::int64_t const piece : {32, 256, 2048})
            for (std::int64_t const bits : {16, 8, 4}) list.push_back({inputs, outputs, piece, bits});
    return list;
}

Layout layout_of(Stored const& s, Organisation const& o) {
    LayoutOptions options;
    options.interleave = s.piece;
    options.element_bits = s.bits;
    return {s.inputs, s.outputs, o, options};
}

std::string name_of(Stored const& s) {
    return std::to_string(s.inputs) + " x " + std::to_string(s.outputs) + " piece " + std::to_string(s.piece) +
           " bits " + std::to_string(s.bits);
}

/// Bytes of the smallest number of pieces that hold a column, by counting up.
std::int64_t counted_granule(Stored const& s) {
    std::int64_t bytes = 0;
    while (bytes * 8 < s.inputs * s.bits) bytes += s.piece;
    return bytes;
}

TEST(ColumnOrder, pads_a_column_to_whole_pieces_and_puts_the_next_one_behind_it) {
    auto const o = paper_organisation();
    for (auto const& s : awkward()) {
        auto const layout = layout_of(s, o);
        ColumnOrder const columns(layout);
        auto const granule = counted_granule(s);
        EXPECT_EQ(columns.granule(), granule) << name_of(s);
        for (std::int64_t n = 0; n < s.outputs; n += 7)
            for (std::int64_t k = 0; k < s.inputs; k += 5)
                ASSERT_EQ(static_cast<std::int64_t>(columns.bit_address(k, n)), n * granule * 8 + k * s.bits);
    }
}

/// One bank per column, all elements in places of their own, each bank filled without gaps from its start, and as many
/// bytes as the layout says.
TEST(ColumnOrder, keeps_every_column_in_one_bank_and_shares_no_place) {
    tests::Turns turns(7);
    auto const o = paper_organisation();
    for (auto const& s : awkward()) {
        if (!turns.next()) continue;
        auto const layout = layout_of(s, o);
        auto const granule = counted_granule(s);
        ColumnOrder const columns(layout);
        auto const mapping = sim::dram::make_mapping(columns_in_banks(o, s.piece), o);
        std::map<std::pair<unsigned, unsigned>, std::vector<bool>> taken;  // by bank, then by element of it
        std::map<std::pair<unsigned, unsigned>, std::int64_t> columns_of_bank;
        for (std::int64_t n = 0; n < s.outputs; ++n) {
            std::pair<unsigned, unsigned> bank;
            for (std::int64_t k = 0; k < s.inputs; ++k) {
                auto const bit = columns.in_tiles(columns.bit_address(k, n));
                auto const at = mapping.place(bit / 8);
                auto const column = mapping.coordinates(bit / 8)[sim::dram::Field::column];
                std::uint64_t const in_bank = ((std::uint64_t{at.row} * 64 + column) * 32 + bit / 8 % 32) * 8 + bit % 8;
                std::pair const here{at.channel, at.bank};
                ASSERT_TRUE(k == 0 || here == bank) << name_of(s) << " column " << n;
                bank = here;
                ASSERT_EQ(static_cast<std::int64_t>(in_bank), n / 64 * granule * 8 + k * s.bits)
                    << name_of(s) << " element " << k << ", " << n;
                auto& places = taken[here];
                auto const place = static_cast<std::size_t>(in_bank) / static_cast<std::size_t>(s.bits);
                if (place >= places.size()) places.resize(place + 1, false);
                ASSERT_FALSE(places[place]) << name_of(s) << " element " << k << ", " << n;
                places[place] = true;
            }
            ++columns_of_bank[bank];
        }
        ASSERT_EQ(static_cast<std::int64_t>(columns_of_bank.size()), std::min<std::int64_t>(s.outputs, 64));
        std::int64_t busiest = 0;
        for (auto const& [_, count] : columns_of_bank) busiest = std::max(busiest, count);
        EXPECT_EQ(layout.bytes(), busiest * granule * 64) << name_of(s);
    }
}

TEST(ColumnOrder, is_legal_for_the_banks_and_gives_the_product) {
    auto const o = paper_organisation();
    for (auto const& s : awkward()) {
        if (s.inputs > 2000 || s.inputs * s.bits < s.piece) continue;
        auto const layout = layout_of(s, o);
        auto const mapping = sim::dram::make_mapping(columns_in_banks(o, s.piece), o);
        StoredShape const shape{layout.tile_rows(), layout.tile_columns(), s.piece, 64, TileCurve::column_major};
        auto const locality = locality_of(mapping, shape, 4096);
        EXPECT_EQ(locality.split, 1) << name_of(s);
        EXPECT_TRUE(locality.lock_step) << name_of(s);
        EXPECT_EQ(locality.busiest, layout.bytes() / 64) << name_of(s);
        auto const check = check_layout(layout, mapping, o, ReadOrder::columns);
        EXPECT_TRUE(check.holds()) << name_of(s);
        EXPECT_EQ(check.sums_read, s.outputs) << name_of(s);
        EXPECT_EQ(check.npu_tiles, s.outputs) << name_of(s);
    }
}

}  // namespace
}  // namespace pimdse::models::umdam::column_order_test
