#include "models/umdam/weight_layouts.hpp"

#include "models/umdam/layout.hpp"
#include "shipped.hpp"
#include "tests/unit/models/umdam/organisations.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models::umdam::weight_layouts_test {
namespace {

using sim::dram::Mapping;
using testing::paper_organisation;

WeightLayouts layouts_with(tests::Setting const& settings) {
    auto const of = asked(settings);
    return of.machine->weight_layouts(of.inputs, of.point);
}

TEST(WeightLayouts, place_an_element_as_algorithm_1_does_by_hand) {
    auto const layouts = layouts_with({{"llm", "opt-125m"}});
    ASSERT_FALSE(layouts.refused);
    auto const& q = layouts.matrices.front();
    EXPECT_EQ(q.matrix, "q");
    EXPECT_EQ(q.tile_inputs, 128);
    EXPECT_EQ(q.tile_outputs, 64);
    // Tile row 200 / 128 = 1, tile column 70 / 64 = 1, tile 1 * 6 + 1 = 7; lane 6 of 256 B; 72 elements of 2 B in it.
    auto const place = q.place(200, 70);
    EXPECT_EQ(place.address, 7U * 16384 + 6 * 256 + 72 * 2);
    // 116368 B: offset 16 (5 bits), ColL 4 (3 bits), channel 2 (2 bits), then group 1, bank 0, ColM 7, row 0.
    std::vector<std::pair<std::string, std::uint64_t>> const fields{{"row", 0},        {"colm", 7},   {"bank", 0},
                                                                    {"bank_group", 1}, {"rank", 0},   {"channel", 2},
                                                                    {"coll", 4},       {"offset", 16}};
    EXPECT_EQ(place.fields, fields);
    EXPECT_EQ(layouts.matrices.back().matrix, "lm_head");
}

TEST(WeightLayouts, are_refused_where_weights_lie_row_by_row_or_the_point_is_infeasible) {
    EXPECT_EQ(layouts_with({{"baseline", "npu_only"}}).refused->rule, "layout");
    EXPECT_EQ(layouts_with({{"mapping", "conventional"}}).refused->rule, "pim_locality");
}

TEST(WeightLayouts, of_columns_in_banks_are_those_columns) {
    for (auto const* model : {"opt-125m", "llama-2-7b"}) {
        auto const layouts = layouts_with({{"llm", model}, {"baseline", "column_in_bank"}});
        ASSERT_FALSE(layouts.refused);
        for (auto const& m : layouts.matrices) {
            EXPECT_EQ(m.tile_outputs, 1);
            std::int64_t const granule = (m.inputs * 2 + 255) / 256 * 256;
            EXPECT_EQ(m.tile_inputs, granule / 2);
            EXPECT_EQ(m.bytes, (m.outputs + 63) / 64 * 64 * granule);
            auto const bank_of = [&](std::int64_t k, std::int64_t n) {
                auto fields = m.place(k, n).fields;
                std::erase_if(fields, [](auto const& field) {
                    return field.first == "row" || field.first == "column" || field.first == "offset";
                });
                return fields;
            };
            EXPECT_EQ(static_cast<std::int64_t>(m.place(3, 5).address), 5 * granule + 6);
            for (std::int64_t k = 0; k < m.inputs; k += 100) ASSERT_EQ(bank_of(k, 5), bank_of(0, 5)) << m.matrix;
            EXPECT_NE(bank_of(0, 4), bank_of(0, 5));
        }
        if (std::string(model) != "opt-125m") continue;
        auto const check = layouts.matrices.front().check();
        EXPECT_TRUE(check.holds());
        EXPECT_EQ(check.sums_read, check.outputs);
        EXPECT_EQ(check.mac_commands, 768 / 16 * 768 / 16);
    }
}

/// Sums over the outputs of a matrix: in how many banks each has elements.
std::int64_t banks_with_elements(Layout const& layout, Mapping const& mapping) {
    std::int64_t sum = 0;
    for (std::int64_t n = 0; n < layout.outputs(); ++n) {
        std::set<std::pair<unsigned, unsigned>> banks;
        for (std::int64_t k = 0; k < layout.inputs(); ++k) {
            auto const place = mapping.place(layout.address(k, n));
            banks.emplace(place.channel, place.bank);
        }
        sum += static_cast<std::int64_t>(banks.size());
    }
    return sum;
}

/// NPU and banks compute the same product as the matrix itself, under every mapping; only the number of sums differs.
TEST(LayoutCheck, finds_the_product_under_every_mapping) {
    auto const organisation = paper_organisation();
    for (std::string const tokens : {"of5 co3 ch2 bg2 ba2 co3 ro15", "of5 co3 bg2 ba2 co3 ro15 ch2",
                                     "of5 ch2 bg2 ba2 co6 ro15", "of5 co3 ch2 bg2 ba2 co3 ro15 x.ba.ro.0.2"}) {
        auto const mapping = sim::dram::parse_mapping(tokens, organisation, 3);
        for (auto const& [inputs, outputs] : {std::pair{256, 128}, {200, 70}, {130, 200}, {16, 1}}) {
            Layout const layout(inputs, outputs, organisation, {});
            auto const check = check_layout(layout, mapping, organisation);
            EXPECT_TRUE(check.holds()) << tokens << " " << inputs << " x " << outputs;
            EXPECT_EQ(check.outputs, outputs);
            EXPECT_EQ(check.sums_read, banks_with_elements(layout, mapping)) << tokens;
            std::int64_t const bursts = (inputs + 15) / 16 * outputs;
            EXPECT_NEAR(check.banks_per_command * static_cast<double>(check.mac_commands), static_cast<double>(bursts),
                        1e-9 * static_cast<double>(bursts));
        }
    }
}

/// Weights of any size, in tiles of any width and order.
TEST(LayoutCheck, finds_the_product_of_tiles_of_any_kind) {
    auto const organisation = paper_organisation();
    auto const mapping = sim::dram::parse_mapping("of5 co3 ch2 bg2 ba2 co3 ro15", organisation, 3);
    for (std::int64_t const bits : {16, 8, 4}) {
        for (std::int64_t const width : {16, 64, 128}) {
            for (auto const order : {TileCurve::column_major, TileCurve::row_major, TileCurve::morton}) {
                LayoutOptions options;
                options.element_bits = bits;
                options.tile_width = width;
                options.order = order;
                for (auto const& [inputs, outputs] : {std::pair{600, 200}, {130, 70}}) {
                    Layout const layout(inputs, outputs, organisation, options);
                    EXPECT_TRUE(check_layout(layout, mapping, organisation).holds())
                        << bits << " bits, width " << width << ", curve " << static_cast<int>(order);
                }
            }
        }
    }
}

TEST(LayoutCheck, counts_one_command_for_all_banks_of_a_channel_in_lock_step) {
    auto const organisation = paper_organisation();
    auto const mapping = sim::dram::parse_mapping("of5 co3 ch2 bg2 ba2 co3 ro15", organisation, 3);
    auto const check = check_layout(Layout(256, 128, organisation, {}), mapping, organisation);
    EXPECT_EQ(check.banks_per_command, 16.0);
    EXPECT_EQ(check.mac_commands, 256 / 16 * 128 / 16);
    EXPECT_EQ(check.sums_read, 128);
}

TEST(LayoutCheck, finds_elements_that_are_not_where_a_tile_has_them) {
    auto const organisation = paper_organisation();
    LayoutOptions rotated;
    rotated.rotation = 1;  // the second tile column begins with another lane
    auto const mapping = sim::dram::parse_mapping("of5 co3 ch2 bg2 ba2 co3 ro15", organisation, 3);
    auto const check = check_layout(Layout(256, 128, organisation, rotated), mapping, organisation);
    EXPECT_EQ(check.npu_wrong, 64);
    EXPECT_EQ(check.pim_wrong, 64);
}

}  // namespace
}  // namespace pimdse::models::umdam::weight_layouts_test
