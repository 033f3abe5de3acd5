#include "models/umdam/layout.hpp"

#include "models/umdam/layout.hpp"
#include "models/umdam/written_mapping.hpp"
#include "sim/base/check.hpp"
#include "sim/dram/mapping.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/umdam/layout_figures.hpp"
#include "tests/unit/models/umdam/organisations.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

namespace pimdse::models::umdam::locality_test {
namespace {

using sim::dram::Field;
using sim::dram::Mapping;
using sim::dram::parse_mapping;
using testing::paper_organisation;

StoredShape shape(std::int64_t inputs, std::int64_t outputs) {
    return {(inputs + 127) / 128, (outputs + 63) / 64, 256, 64};
}

Locality locality(std::string const& tokens, std::int64_t inputs, std::int64_t outputs) {
    return locality_of(parse_mapping(tokens, paper_organisation(), 3), shape(inputs, outputs), 1024);
}

/// Lanes each column touches, counted element by element through layout and mapping.
std::int64_t slow_split(std::string const& tokens, std::int64_t inputs, std::int64_t outputs) {
    auto const mapping = parse_mapping(tokens, paper_organisation(), 3);
    Layout const layout(inputs, outputs, paper_organisation(), {});
    std::size_t max = 0;
    for (std::int64_t n = 0; n < outputs; ++n) {
        std::set<std::pair<unsigned, unsigned>> banks;
        for (std::int64_t k = 0; k < testing::padded_inputs(layout) && k < inputs; ++k) {
            auto const place = mapping.place(layout.address(k, n));
            banks.emplace(place.channel, place.bank);
        }
        max = std::max(max, banks.size());
    }
    return static_cast<std::int64_t>(max);
}

/// Bytes in the busiest bank and most inputs at one row and column of a channel, burst by burst; of the places where
/// every `step`th tile begins.
std::pair<std::int64_t, std::int64_t> slow_load_and_phases(std::string const& tokens, std::int64_t inputs,
                                                           std::int64_t outputs, std::int64_t step = 1) {
    auto const mapping = parse_mapping(tokens, paper_organisation(), 3);
    Layout const layout((inputs + 127) / 128 * 128, (outputs + 63) / 64 * 64, paper_organisation(),
                        {});  // padding is multiplied, too
    std::map<std::pair<unsigned, unsigned>, std::int64_t> bytes;
    std::map<std::tuple<unsigned, unsigned, unsigned>, std::set<std::int64_t>> held;
    for (std::int64_t n = 0; n < layout.tile_columns() * 64; ++n) {
        for (std::int64_t k = 0; k < testing::padded_inputs(layout); k += 16) {
            auto const address = layout.address(k, n);
            auto const place = mapping.place(address);
            bytes[{place.channel, place.bank}] += 32;
            held[{place.channel, place.row, mapping.coordinates(address)[Field::column]}].insert(k);
        }
    }
    std::int64_t max = 0;
    std::size_t phases = 0;
    for (auto const& [bank, count] : bytes) max = std::max(max, count);
    for (std::int64_t tile = 0; tile < layout.tile_rows() * layout.tile_columns(); tile += step) {
        auto const address = static_cast<std::uint64_t>(tile * layout.tile_bytes());
        auto const place = mapping.place(address);
        phases =
            std::max(phases, held.at({place.channel, place.row, mapping.coordinates(address)[Field::column]}).size());
    }
    return {max, static_cast<std::int64_t>(phases)};
}

/// What a text of a space means on the paper's machine.
std::string tokens_of(std::string const& text, int coll_bits) {
    return sim::dram::text_of(order_on(read_mapping(text), paper_organisation(), coll_bits));
}

constexpr auto umdam = "of5 co3 ch2 bg2 ba2 co3 ro15";
constexpr auto conventional = "of5 ch2 bg2 ba2 co6 ro15";

TEST(Locality, umdam_keeps_columns_whole_and_the_conventional_order_splits_them_in_eight) {
    EXPECT_EQ(locality(umdam, 4096, 4096).split, 1);
    EXPECT_EQ(locality(umdam, 4096, 4096).busiest, 4096 * 4096 * 2 / 64);
    EXPECT_EQ(locality(umdam, 4096, 4096).phases, 1);
    EXPECT_TRUE(locality(umdam, 4096, 4096).lock_step);
    EXPECT_EQ(locality(conventional, 4096, 4096).split, 8);
    EXPECT_EQ(locality(conventional, 4096, 4096).phases, 2);
    EXPECT_EQ(locality(conventional, 4096, 4096).inside, 2);
    EXPECT_EQ(locality(conventional, 4096, 4096).busiest, 4096 * 4096 * 2 / 64);
}

TEST(Locality, an_xor_of_tile_column_bits_is_legal_where_rows_of_tiles_are_a_power_of_two) {
    // burst-address bits 14 and 15 are bits 5 and 6 above the tile: row bits 2 and 3 of the UMDAM order
    std::string const hashed = std::string(umdam) + " x.ba.ro.2.2";
    EXPECT_EQ(locality(hashed, 4096, 4096).split, 1);
    EXPECT_TRUE(locality(hashed, 4096, 4096).lock_step);
    EXPECT_GT(locality(hashed, 768, 768).split, 1);
    EXPECT_GT(locality(hashed, 7168, 7168).split, 1);
}

TEST(Locality, bits_above_the_matrix_are_always_legal) {
    EXPECT_EQ(locality(std::string(umdam) + " x.ba.ro.12.2", 7168, 7168).split, 1);
}

TEST(Locality, counts_what_counting_every_element_counts) {
    for (std::string const tokens :
         {umdam, conventional, "of5 ch2 co3 bg2 ba2 co3 ro15", "of5 co2 bg2 co4 ch2 ba2 ro15",
          "of5 co3 ch2 bg2 ba2 co3 ro15 x.ba.ro.0.2", "of5 co3 ch2 bg2 ba2 co3 ro15 x.ch.ro.1.2 x.bg.co.4.1",
          "of5 co6 ro15 ba2 bg2 ch2"}) {
        for (auto const& [inputs, outputs] : {std::pair{768, 192}, {1024, 256}, {640, 130}}) {
            auto const found = locality(tokens, inputs, outputs);
            EXPECT_EQ(found.split, slow_split(tokens, inputs, outputs)) << tokens << " " << inputs;
            auto const [busiest, phases] = slow_load_and_phases(tokens, inputs, outputs);
            EXPECT_EQ(found.busiest, busiest) << tokens << " " << inputs;
            EXPECT_EQ(found.phases, phases) << tokens << " " << inputs;
        }
    }
}

/// Rows of an order of bits, with fields that read the row beside their own bits.
std::string random_tokens(std::mt19937_64& random) {
    std::vector<std::string> const orders{umdam, conventional, "of5 co1 ba1 co2 ch2 bg2 ba1 co3 ro15",
                                          "of5 co4 ba2 co2 ro3 bg2 ro12 ch2",
                                          "of5 co2 bg2 co4 ro1 ch1 ro2 ba2 ro12 ch1"};
    std::string tokens = orders[random() % orders.size()];
    for (char const* const field : {"ba", "bg", "ch"})
        if (random() % 2 == 0) tokens += std::string(" x.") + field + ".ro." + std::to_string(random() % 7) + ".2";
    return tokens;
}

TEST(Locality, of_random_mappings_is_what_counting_every_element_counts) {
    std::mt19937_64 random(4);
    for (int trial = 0; trial < tests::draws(40); ++trial) {
        auto const tokens = random_tokens(random);
        std::int64_t const inputs = 128 * static_cast<std::int64_t>(1 + random() % 11),
                           outputs = 64 * static_cast<std::int64_t>(1 + random() % 5);
        auto const s = shape(inputs, outputs);
        std::int64_t const enough = trial % 2 == 0 ? 1024 : 3;
        auto const mapping = parse_mapping(tokens, paper_organisation(), 3);
        auto const found = locality_of(mapping, s, static_cast<double>(enough));
        auto const [busiest, phases] =
            slow_load_and_phases(tokens, inputs, outputs, std::max<std::int64_t>(1, s.tiles() / enough) | 1);
        EXPECT_EQ(found.split, slow_split(tokens, inputs, outputs)) << tokens << " " << inputs << " " << outputs;
        EXPECT_EQ(found.busiest, busiest) << tokens << " " << inputs << " " << outputs;
        EXPECT_EQ(found.phases, phases) << tokens << " " << inputs << " " << outputs;
        EXPECT_EQ(is_legal(mapping, s), found.split == 1 && found.lock_step) << tokens;
    }
}

TEST(Locality, an_order_with_the_channel_on_top_leaves_three_channels_idle) {
    auto const tokens = tokens_of("channel_msb", 3);
    EXPECT_EQ(tokens, "of5 co3 bg2 ba2 co3 ro15 ch2");
    EXPECT_EQ(locality(tokens, 4096, 4096).split, 1);
    EXPECT_EQ(locality(tokens, 4096, 4096).busiest, 4096 * 4096 * 2 / 16);
    EXPECT_TRUE(locality(tokens, 4096, 4096).lock_step);
}

TEST(WrittenMapping, writes_umdam_from_its_order_of_fields) {
    EXPECT_EQ(tokens_of("row-colm-bank-group-channel-coll", 3), umdam);
    EXPECT_EQ(tokens_of("row-colm-bank-group-channel-coll", 0), "of5 ch2 bg2 ba2 co6 ro15");
}

TEST(WrittenMapping, refuses_what_is_no_mapping) {
    EXPECT_EQ(refusal_of_mapping("umdam"), "");
    EXPECT_EQ(refusal_of_mapping("of5 co3 ch2 bg2 ba2 co3 ro17 x.ba.ro.0.2"), "");
    EXPECT_EQ(refusal_of_mapping("row-colm-bank-group-channel-coll"), "");
    EXPECT_EQ(refusal_of_mapping("row-colm-bank-group-rank-channel-coll"), "");
    EXPECT_NE(refusal_of_mapping("row-colm-bank-group-channel"), "");
    EXPECT_NE(refusal_of_mapping("row-colm-bank-group-channel-coll-coll"), "");
    EXPECT_NE(refusal_of_mapping("of5 zz3"), "");
    EXPECT_NE(refusal_of_mapping("umdamm"), "");
    EXPECT_NE(refusal_of_mapping(""), "");
}

TEST(WrittenMapping, lets_an_order_name_its_own_coll_and_its_hashes) {
    auto const tokens = [](std::string const& text, int coll) { return tokens_of(text, coll); };
    EXPECT_EQ(tokens("row-colm-bank-group-channel-coll5", 2), "of5 co5 ch2 bg2 ba2 co1 ro15");
    EXPECT_EQ(tokens("row-colm-bank-group-channel-coll", 2), "of5 co2 ch2 bg2 ba2 co4 ro15");
    EXPECT_EQ(tokens("row-colm-bank-group-channel-coll", -1), umdam);
    EXPECT_EQ(tokens("row-colm-bank-group-channel-coll x.ba.ro.0.2", 3), std::string(umdam) + " x.ba.ro.0.2");
    EXPECT_EQ(tokens("channel_msb x.ba.ro.0.2", 3), "of5 co3 bg2 ba2 co3 ro15 ch2 x.ba.ro.0.2");
    EXPECT_THROW((void)tokens("row-colm-bank-group-channel-coll7", 2), sim::InputError);
    EXPECT_THROW((void)tokens("umdam x.ba.ro.40.2", 3), sim::InputError);  // would read nothing
    EXPECT_THROW((void)tokens("of5 co3 ch2 bg2 ba2 co3 ro15 x.ba.ro.14.2", 3), sim::InputError);
    EXPECT_NO_THROW((void)tokens("of5 co3 ch2 bg2 ba2 co3 ro15 x.ba.ro.13.2", 3));
    EXPECT_EQ(refusal_of_mapping("row-colm-bank-group-channel-coll5 x.ba.ro.0.2"), "");
    EXPECT_EQ(refusal_of_mapping("umdam x.ba.ro.0.2"), "");
    EXPECT_NE(refusal_of_mapping("umdam co3"), "");
    EXPECT_NE(refusal_of_mapping("row-colm-bank-group-channel-coll5-coll3"), "");
    EXPECT_NE(refusal_of_mapping("row-colm-bank-group-channel-coll12345"), "");
}

TEST(WrittenMapping, is_written_as_it_was_read) {
    for (std::string const text : {"umdam", "MOP4CLXOR x.ba.ro.0.2", "row-colm-bank-group-channel-coll",
                                   "row-colm-bank-rank-group-channel-coll4", "of5 co3 ch2 bg2 ba2 co3 ro17 x.ba.ro.0.2",
                                   "channel_msb x.ba.ro.0.1 x.ch.co.2.2"})
        EXPECT_EQ(text_of(read_mapping(text)), text);
}

TEST(WrittenMapping, finds_the_coll_that_suits_a_mapping) {
    auto const coll = [](std::string const& tokens) {
        return matching_coll_bits(parse_mapping(tokens, paper_organisation()));
    };
    EXPECT_EQ(coll(umdam), 3);
    EXPECT_EQ(coll("conventional"), 0);
    EXPECT_EQ(coll("of5 co6 ro15 ba2 bg2 ch2"), 6);
    EXPECT_EQ(coll("of5 co3 ch2 bg2 ba2 co3 ro15 x.ro.co.1.1"), 1);  // the row reads the second column bit
}

}  // namespace
}  // namespace pimdse::models::umdam::locality_test
