#include "models/umdam/layout.hpp"

#include "sim/base/check.hpp"
#include "tests/unit/models/umdam/layout_figures.hpp"
#include "tests/unit/models/umdam/organisations.hpp"

#include <gtest/gtest.h>
#include <set>

namespace pimdse::models::umdam::layout_test {
namespace {

using testing::capacity_waste;
using testing::lane_utilisation;
using testing::LanePlace;
using testing::paper_organisation;
using testing::rows_per_bank;
using testing::umdam_coordinates;

/// All element addresses of a layout; fails where two elements share one.
void expect_injective(Layout const& layout, std::int64_t inputs, std::int64_t outputs) {
    std::set<std::uint64_t> seen;
    for (std::int64_t n = 0; n < outputs; ++n) {
        for (std::int64_t k = 0; k < inputs; ++k) {
            auto const address = layout.address(k, n);
            ASSERT_EQ(address % 2, 0U);
            ASSERT_LT(address, static_cast<std::uint64_t>(layout.bytes()));
            ASSERT_TRUE(seen.insert(address).second) << "k " << k << " n " << n;
        }
    }
}

TEST(Layout, cuts_768x768_into_6x12_tiles_on_nine_rows_without_waste) {
    Layout const layout(768, 768, paper_organisation(), {});
    EXPECT_EQ(layout.height(), 128);
    EXPECT_EQ(layout.width(), 64);
    EXPECT_EQ(layout.tile_bytes(), 16384);
    EXPECT_EQ(layout.tile_rows(), 6);
    EXPECT_EQ(layout.tile_columns(), 12);
    EXPECT_EQ(rows_per_bank(layout, paper_organisation()), 9);
    EXPECT_EQ(capacity_waste(layout, 768, 768), 0.0);
    EXPECT_EQ(lane_utilisation(layout, 768), 1.0);
}

TEST(Layout, cuts_4096x4096_into_32x64_tiles_on_256_rows) {
    Layout const layout(4096, 4096, paper_organisation(), {});
    EXPECT_EQ(layout.tile_rows(), 32);
    EXPECT_EQ(layout.tile_columns(), 64);
    EXPECT_EQ(rows_per_bank(layout, paper_organisation()), 256);
}

TEST(Layout, pads_only_the_vocabulary_of_opt) {
    Layout const head(4096, 50272, paper_organisation(), {});
    EXPECT_EQ(head.tile_columns(), 786);
    EXPECT_NEAR(lane_utilisation(head, 50272), 50272.0 / (786 * 64), 1e-15);
    for (std::int64_t const width : {768, 2048, 3072, 4096, 7168, 8192, 16384, 28672}) {
        EXPECT_EQ(capacity_waste(Layout(width, width, paper_organisation(), {}), width, width), 0.0) << width;
    }
}

TEST(Layout, pads_rows_on_request_and_says_what_it_costs) {
    LayoutOptions padded;
    padded.row_pad = RowPad::on;
    EXPECT_NEAR(capacity_waste(Layout(768, 768, paper_organisation(), padded), 768, 768), 1.0 / 3.0, 1e-12);
    for (std::int64_t const width : {2048, 3072, 4096, 7168})
        EXPECT_EQ(capacity_waste(Layout(width, 64, paper_organisation(), padded), width, 64), 0.0) << width;
}

TEST(Layout, gives_every_element_an_address_of_its_own_in_awkward_shapes) {
    struct Shape {
        std::int64_t inputs, outputs;
    };
    for (auto const& [inputs, outputs] :
         {Shape{1, 1}, {5, 3}, {127, 65}, {128, 64}, {129, 63}, {300, 200}, {1000, 70}}) {
        for (auto const order : {TileCurve::column_major, TileCurve::row_major, TileCurve::morton}) {
            for (std::int64_t const split : {1, 4}) {
                LayoutOptions options;
                options.order = order;
                options.split = split;
                options.rotation = 5;
                expect_injective(Layout(inputs, outputs, paper_organisation(), options), inputs, outputs);
            }
        }
    }
}

TEST(Layout, keeps_a_column_in_one_bank_and_a_tile_on_all_banks_for_any_radix) {
    auto organisation = paper_organisation();
    organisation.channels = 3;
    organisation.bank_groups = 5;
    organisation.ranks = 2;
    LayoutOptions options;
    options.rotation = 7;
    Layout const layout(700, 300, organisation, options);
    auto const at = [&](std::int64_t k, std::int64_t n) {
        return umdam_coordinates(layout.address(k, n), organisation, options.interleave);
    };
    auto const lane = [&](LanePlace const& c) {
        return (c.bank * organisation.ranks + c.rank) * organisation.channels + c.channel;
    };
    for (std::int64_t n = 0; n < 300; ++n) {
        for (std::int64_t k = 0; k < 700; ++k) {
            EXPECT_EQ(lane(at(k, n)), lane(at(0, n)));
            auto const first = at(k, n / layout.width() * layout.width());
            EXPECT_EQ(at(k, n).row, first.row);
            EXPECT_EQ(at(k, n).column, first.column);
        }
    }
    std::set<std::int64_t> used;
    for (std::int64_t n = 0; n < layout.width(); ++n) used.insert(lane(at(0, n)));
    EXPECT_EQ(static_cast<std::int64_t>(used.size()), lanes(organisation));
}

TEST(Layout, refuses_a_granularity_that_cuts_no_row) {
    LayoutOptions options;
    options.interleave = 96;
    EXPECT_THROW(Layout(128, 128, paper_organisation(), options), sim::InputError);
    options.interleave = 4096;
    EXPECT_THROW(Layout(128, 128, paper_organisation(), options), sim::InputError);
}

}  // namespace
}  // namespace pimdse::models::umdam::layout_test
