#include "models/umdam/layout.hpp"

#include "models/llm/language_models.hpp"
#include "models/llm/workload.hpp"
#include "sim/dram/mapping.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/umdam/layout_figures.hpp"
#include "tests/unit/models/umdam/organisations.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace pimdse::models::umdam::layout_property_test {
namespace {

using testing::LanePlace;
using testing::umdam_coordinates;

struct Shape {
    std::int64_t inputs, outputs;
    auto operator<=>(Shape const&) const = default;
};

/// Every weight matrix and LM head of every model that ships, and shapes no tile fits.
std::set<Shape> shapes() {
    std::set<Shape> all{{1, 1}, {7, 50272}, {130, 1}, {129, 65}, {1000, 1000}, {64, 63}};
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        for (auto const& m : models::layer_matrices(model)) all.insert({m.inputs, m.outputs});
        all.insert({model.hidden, model.vocabulary});
    }
    return all;
}

Organisation organisation(int channels, int ranks, int groups, int banks) {
    auto o = testing::paper_organisation();
    o.channels = channels;
    o.ranks = ranks;
    o.bank_groups = groups;
    o.banks = banks;
    return o;
}

/// The machines the properties must hold on; the last two have counts that are no powers of two.
std::vector<Organisation> organisations() {
    return {organisation(4, 1, 4, 4), organisation(8, 2, 1, 8), organisation(1, 1, 4, 2), organisation(3, 1, 5, 3),
            organisation(6, 2, 4, 4)};
}

std::int64_t lane(LanePlace const& c, Organisation const& o) {
    return (c.bank * o.ranks + c.rank) * o.channels + c.channel;
}

/// A few rows and columns spread over a range, its ends among them.
std::vector<std::int64_t> spread(std::int64_t count, std::int64_t samples) {
    std::set<std::int64_t> at{0, count - 1};
    for (std::int64_t i = 1; i < samples; ++i) at.insert(i * (count - 1) / samples);
    return {at.begin(), at.end()};
}

class LayoutProperties : public ::testing::TestWithParam<std::int64_t> {
  protected:
    template <class Check>
    void for_all(Check const& check) const {
        tests::Turns turns(11);
        for (auto const& o : organisations()) {
            LayoutOptions options;
            options.interleave = GetParam();
            for (auto const& shape : shapes())
                if (turns.next()) check(Layout(shape.inputs, shape.outputs, o, options), shape, o);
        }
    }
    [[nodiscard]] LanePlace at(Layout const& layout, std::int64_t k, std::int64_t n, Organisation const& o) const {
        return umdam_coordinates(layout.address(k, n), o, GetParam());
    }
};

TEST_P(LayoutProperties, p1_no_two_elements_share_an_address) {
    // tiles lie apart, and within a tile the addresses are all different and all inside it
    for_all([&](Layout const& layout, Shape const& s, Organisation const&) {
        std::set<std::uint64_t> tiles;
        auto const bytes = static_cast<std::uint64_t>(layout.tile_bytes());
        for (std::int64_t k = 0; k < s.inputs; k += layout.height()) {
            for (auto const column : spread((s.outputs + layout.width() - 1) / layout.width(), 9)) {
                auto const start = layout.address(k, column * layout.width());
                ASSERT_EQ(start % bytes, 0U);
                ASSERT_TRUE(tiles.insert(start).second);
            }
        }
        for (auto const k : spread((s.inputs + layout.height() - 1) / layout.height(), 2)) {
            std::set<std::uint64_t> inside;
            auto const first = layout.address(k * layout.height(), 0);
            std::int64_t const step = std::max<std::int64_t>(3, layout.height() / 24 | 1);
            for (std::int64_t i = k * layout.height(); i < std::min(s.inputs, (k + 1) * layout.height()); i += step) {
                for (std::int64_t n = 0; n < std::min(s.outputs, layout.width()); ++n) {
                    auto const address = layout.address(i, n);
                    ASSERT_GE(address, first);
                    ASSERT_LT(address, first + bytes);
                    ASSERT_TRUE(inside.insert(address).second);
                }
            }
        }
    });
}

TEST_P(LayoutProperties, p2_a_column_stays_in_one_bank) {
    for_all([&](Layout const& layout, Shape const& s, Organisation const& o) {
        for (auto const n : spread(s.outputs, 7)) {
            auto const home = lane(at(layout, 0, n, o), o);
            for (std::int64_t k = 0; k < s.inputs; k += 13) ASSERT_EQ(lane(at(layout, k, n, o), o), home);
        }
    });
}

TEST_P(LayoutProperties, p3_the_columns_of_a_tile_are_in_different_banks) {
    for_all([&](Layout const& layout, Shape const& s, Organisation const& o) {
        std::set<std::int64_t> banks;
        std::int64_t const columns = std::min(s.outputs, layout.width());
        for (std::int64_t n = 0; n < columns; ++n) banks.insert(lane(at(layout, s.inputs / 2, n, o), o));
        ASSERT_EQ(static_cast<std::int64_t>(banks.size()), columns);
    });
}

TEST_P(LayoutProperties, p4_equal_inputs_are_at_equal_rows_and_columns_of_all_banks) {
    for_all([&](Layout const& layout, Shape const& s, Organisation const& o) {
        for (auto const k : spread(s.inputs, 11)) {
            for (auto const tile : spread((s.outputs + layout.width() - 1) / layout.width(), 5)) {
                auto const first = at(layout, k, tile * layout.width(), o);
                for (std::int64_t n = tile * layout.width(); n < std::min(s.outputs, (tile + 1) * layout.width());
                     ++n) {
                    auto const here = at(layout, k, n, o);
                    ASSERT_EQ(here.row, first.row);
                    ASSERT_EQ(here.column, first.column);
                }
            }
        }
    });
}

TEST_P(LayoutProperties, p5_a_tile_column_is_contiguous) {
    for_all([&](Layout const& layout, Shape const& s, Organisation const&) {
        std::int64_t const last = (s.inputs - 1) / layout.height() * layout.height();
        for (auto const tile : spread((s.outputs + layout.width() - 1) / layout.width(), 5)) {
            auto const start = layout.address(0, tile * layout.width());
            ASSERT_EQ(layout.address(last, tile * layout.width()),
                      start + static_cast<std::uint64_t>(last / layout.height() * layout.tile_bytes()));
            if (tile == 0) continue;
            ASSERT_EQ(start, layout.address(0, (tile - 1) * layout.width()) +
                                 static_cast<std::uint64_t>(layout.tile_rows() * layout.tile_bytes()));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(granularities, LayoutProperties, ::testing::Values(32, 256, 2048));

TEST(Layout, composes_with_the_bit_mapping_to_the_same_place_as_by_division) {
    std::mt19937_64 random(5);
    for (auto const& o : {organisation(4, 1, 4, 4), organisation(8, 2, 2, 4)}) {
        auto const mapping = sim::dram::parse_mapping("umdam", o, 3);
        Layout const layout(3000, 700, o, {});
        for (int i = 0; i < 2000; ++i) {
            auto const address =
                layout.address(static_cast<std::int64_t>(random() % 3000), static_cast<std::int64_t>(random() % 700));
            auto const bits = mapping.coordinates(address);
            auto const divided = umdam_coordinates(address, o, 256);
            using sim::dram::Field;
            ASSERT_EQ(bits[Field::channel], divided.channel);
            ASSERT_EQ(bits[Field::rank], divided.rank);
            ASSERT_EQ(bits[Field::group] + bits[Field::bank] * static_cast<unsigned>(o.bank_groups), divided.bank);
            ASSERT_EQ(bits[Field::row], divided.row);
            ASSERT_EQ(bits[Field::column], divided.column);
        }
    }
}

}  // namespace
}  // namespace pimdse::models::umdam::layout_property_test
