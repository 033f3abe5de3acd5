#include "models/umdam/weight_order.hpp"

#include "models/umdam/layout.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/models/umdam/organisations.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace pimdse::models::umdam::weight_order_test {
namespace {

using sim::dram::parse_mapping;
using testing::paper_organisation;

/// The NPU reads the weights of the layout by columns: at the same position of that order, the permuted mapping has the
/// place of the stored weight.
TEST(WeightOrder, reads_a_matrix_of_any_order_by_its_tile_columns) {
    auto const o = paper_organisation();
    for (auto const* tokens : {"of5 co3 ch2 bg2 ba2 co3 ro15", "of5 ch2 bg2 ba2 co6 ro15 x.ba.ro.0.2"}) {
        auto const mapping = parse_mapping(tokens, o, 3);
        for (auto const curve : {TileCurve::column_major, TileCurve::row_major, TileCurve::morton}) {
            for (auto const& [inputs, outputs] : {std::pair{1024, 256}, {512, 1024}, {2048, 64}}) {
                LayoutOptions stored;
                stored.order = curve;
                Layout const by_columns(inputs, outputs, o, {}), layout(inputs, outputs, o, stored);
                StoredShape const shape{layout.tile_rows(), layout.tile_columns(), 256, 64, curve};
                auto const read = read_by_columns(mapping, shape, o);
                for (std::int64_t k = 0; k < inputs; k += 48) {
                    for (std::int64_t n = 0; n < outputs; n += 7)
                        ASSERT_EQ(read.place(by_columns.address(k, n)), mapping.place(layout.address(k, n)));
                }
            }
        }
    }
}

TEST(WeightOrder, of_columns_in_banks_keeps_each_in_one_bank_and_the_next_in_the_next_channel) {
    auto const o = paper_organisation();
    for (std::int64_t const column : {512, 2048, 8192, 20000}) {
        auto const mapping = sim::dram::make_mapping(columns_in_banks(o, column), o);
        std::int64_t room = 512;
        while (room < column) room *= 2;
        std::set<std::pair<unsigned, unsigned>> banks;
        for (std::int64_t n = 0; n < 64; ++n) {
            auto const first = mapping.place(static_cast<std::uint64_t>(n * room));
            EXPECT_EQ(first.channel, n % 4);
            for (std::int64_t at = 0; at < room; at += 32) {
                auto const place = mapping.place(static_cast<std::uint64_t>(n * room + at));
                ASSERT_EQ(place.bank, first.bank);
                ASSERT_EQ(place.channel, first.channel);
                ASSERT_EQ(place.row, at / 2048);
            }
            banks.emplace(first.channel, first.bank);
        }
        EXPECT_EQ(banks.size(), 64U);
    }
    EXPECT_THROW((void)columns_in_banks(o, std::int64_t{1} << 30), sim::InputError);
}

}  // namespace
}  // namespace pimdse::models::umdam::weight_order_test
