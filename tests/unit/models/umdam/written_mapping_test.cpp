#include "models/umdam/written_mapping.hpp"
#include "models/umdam/classes.hpp"
#include "sim/base/check.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/mapping_class.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <set>

namespace pimdse::models::umdam::written_mapping_test {
namespace {

using sim::dram::Field;
using ::testing::HasSubstr;

Organisation const memory{
    .channels = 4, .ranks = 2, .bank_groups = 4, .banks = 4, .rows = 1 << 12, .row_bytes = 2048, .burst_bytes = 32};

/// What is said of a text on its way to a mapping of the memory; "" if it gets there.
std::string refusal(std::string const& text, int coll_bits = -1) {
    if (auto why = refusal_of_mapping(text); !why.empty()) return why;
    try {
        (void)make_mapping(order_on(read_mapping(text), memory, coll_bits), memory);
    } catch (sim::InputError const& error) {
        return error.what();
    }
    return "";
}

std::string bits_of(std::string const& text, int coll_bits = -1) {
    return sim::dram::text_of(order_on(read_mapping(text), memory, coll_bits));
}

TEST(WrittenMapping, names_fields_from_the_highest_bit_down) {
    EXPECT_EQ(bits_of("row-colm-bank-group-channel-coll"), "of5 co3 ch2 ra1 bg2 ba2 co3 ro12");
    EXPECT_EQ(bits_of("row-colm-bank-group-channel-coll4"), "of5 co4 ch2 ra1 bg2 ba2 co2 ro12");
    EXPECT_EQ(bits_of("row-colm-bank-group-channel-coll", 0), "of5 ch2 ra1 bg2 ba2 co6 ro12");
    EXPECT_EQ(bits_of("row-colm-bank-group-channel-coll2", 0), "of5 co2 ch2 ra1 bg2 ba2 co4 ro12") << "its own";
    EXPECT_EQ(bits_of("coll-row-rank-colm-bank-group-channel"), "of5 ch2 bg2 ba2 co3 ra1 ro12 co3");
    EXPECT_EQ(bits_of("channel-bank-row-group-colm-coll"), "of5 co6 bg2 ro12 ba2 ch2 ra1") << "columns are one part";
    EXPECT_EQ(bits_of("channel_msb"), "of5 co3 bg2 ba2 co3 ro12 ch2 ra1");
}

TEST(WrittenMapping, of_any_permutation_is_a_mapping_whose_text_reads_the_same) {
    std::mt19937 random(1);
    auto items = field_items();
    for (int i = 0; i < 300; ++i) {
        auto names = items;
        std::shuffle(names.begin(), names.end(), random);
        if (i % 2 == 0) names.insert(names.begin() + static_cast<std::ptrdiff_t>(random() % 7), "rank");
        int const coll = static_cast<int>(random() % 7);
        std::string text;
        for (auto const& name : names)
            text += (text.empty() ? "" : "-") + name + (name == "coll" && i % 3 == 0 ? std::to_string(coll) : "");
        if (i % 5 == 0) text += " x.ba.ro.1.2";
        ASSERT_EQ(refusal_of_mapping(text), "");
        auto const written = read_mapping(text);
        EXPECT_EQ(text_of(written), text);
        auto const order = order_on(written, memory, coll);
        auto const mapping = make_mapping(order, memory);
        EXPECT_EQ(width_of(order, Field::column), 6);
        EXPECT_EQ(mapping.address_bits(), 5 + 2 + 1 + 2 + 2 + 12 + 6);
        EXPECT_EQ(text_of(read_mapping(mapping.text())), mapping.text());
    }
}

TEST(WrittenMapping, says_what_it_lacks) {
    EXPECT_EQ(refusal(""), "it is empty");
    EXPECT_EQ(refusal("  "), "it is empty");
    EXPECT_THAT(refusal("row-colm-bank-group-channel"), says("field-coll-missing"));
    EXPECT_THAT(refusal("row-colm-bank-group-channel-coll-coll2"), says("field-named-twice"));
    EXPECT_THAT(refusal("row-row-colm-bank-group-channel-coll"), says("field-named-twice-2"));
    EXPECT_THAT(refusal("row-colm-bank-group-channel-coll-page"), says("page-field-fields-row"));
    EXPECT_THAT(refusal("row-colm-bank-group-channel-coll123"), says("coll123-field"));
    EXPECT_THAT(refusal("row-colm-bank-group-channel-coll99"), HasSubstr("ColL = 99 exceeds the 6 column bits"));
    EXPECT_THAT(refusal("row-colm-bank-group-channel-coll", 7), HasSubstr("ColL = 7 exceeds the 6 column bits"));
    EXPECT_THAT(refusal("umdamm"), says("umdamm-token-of5-co3"));
    EXPECT_THAT(refusal("umdam co3"), says("co3-token-ba-ro"));
    EXPECT_THAT(refusal("umdam x.ba.ro.100.2"), HasSubstr("is not a token"));
    EXPECT_THAT(refusal("of5 co99999999999"), says("no-bit-count"));
}

TEST(WrittenMapping, refuses_terms_that_would_do_nothing) {
    EXPECT_EQ(refusal("umdam x.ba.ro.10.2"), "");
    EXPECT_THAT(refusal("umdam x.ba.ro.11.2"), says("ba-ro-reads-bits"));
    EXPECT_THAT(refusal("umdam x.ba.ro.0.0"), says("ba-ro-reads-bits-2"));
    EXPECT_THAT(refusal("of5 co6 ch2 ra1 bg2 ba2 ro12 x.ba.ro.12.1"), says("reads-bits-ro"));
    // A term sees what stands before it.
    EXPECT_EQ(refusal("of5 co6 ch2 ra1 bg2 ba2 ro12 x.ba.ro.0.2"), "");
    EXPECT_THAT(refusal("of5 co6 ch2 ra1 bg2 ba2 x.ba.ro.0.2 ro12"), says("ba-ro-reads-bits-3"));
    EXPECT_EQ(refusal("of5 co6 ch2 ra1 bg2 ba2 ro2 x.ba.ro.0.2 ro10"), "");
}

TEST(WrittenMapping, matches_the_columns_below_everything_else) {
    auto const matching = [](std::string const& text, int coll) {
        return matching_coll_bits(make_mapping(order_on(read_mapping(text), memory, coll), memory));
    };
    for (int coll = 0; coll <= 6; ++coll) EXPECT_EQ(matching("umdam", coll), coll);
    EXPECT_EQ(matching("conventional", 3), 0);
    EXPECT_EQ(matching("umdam x.ch.co.0.2", 3), 0) << "the channel reads the lowest column bit";
    EXPECT_EQ(matching("umdam x.ch.co.2.2", 3), 2);
    EXPECT_EQ(matching("coll-row-rank-colm-bank-group-channel", 3), 0);
    Organisation const one{.rows = 1, .row_bytes = 256, .burst_bytes = 32};
    EXPECT_EQ(matching_coll_bits(sim::dram::parse_mapping("of5 co3", one)), 3) << "nothing but columns";
}

TEST(Candidates, are_all_orders_once_for_each_coll) {
    std::set<std::string> texts;
    for (auto const& candidate : field_orders({0, 3, 6})) {
        auto const text = text_of(candidate.mapping);
        EXPECT_TRUE(texts.insert(text).second) << text;
        EXPECT_EQ(refusal(text), "");
    }
    EXPECT_EQ(texts.size(), 3U * 720);
    std::size_t highest = 0;
    for (auto const& candidate : row_highest_orders({0, 3, 6})) {
        auto const text = text_of(candidate.mapping);
        EXPECT_EQ(texts.count(text), 1U) << text;
        EXPECT_TRUE(text.starts_with("row-") && text.find("-coll", text.size() - 6) != std::string::npos) << text;
        ++highest;
    }
    EXPECT_EQ(highest, 3U * 24);
}

TEST(Candidates, of_single_bits_are_as_many_as_their_classes_or_refused) {
    Organisation const small{
        .channels = 2, .bank_groups = 2, .banks = 2, .rows = 4, .row_bytes = 128, .burst_bytes = 32};
    auto const all = bit_orders(small, 60);
    EXPECT_EQ(all.size(), 60U);  // 5! / 2!
    std::set<std::string> texts;
    for (auto const& candidate : all) {
        auto const order = order_on(candidate.mapping, small, candidate.coll_bits);
        texts.insert(make_mapping(order, small).text());
    }
    EXPECT_EQ(texts.size(), 60U);
    try {
        (void)bit_orders(small, 59);
        ADD_FAILURE();
    } catch (sim::InputError const& error) {
        EXPECT_THAT(error.what(), says("orders-bits-below-row"));
    }
}

TEST(Candidates, are_hashed_in_every_way_and_stay_plain_as_well) {
    auto const plain = row_highest_orders({3});
    auto const with = hashed(plain, {{sim::dram::parse_xor("x.ba.ro.0.2")},
                                     {sim::dram::parse_xor("x.bg.ro.0.2"), sim::dram::parse_xor("x.ch.ro.2.2")}});
    ASSERT_EQ(with.size(), 3 * plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
        auto const text = text_of(plain[i].mapping);
        EXPECT_EQ(text_of(with[i].mapping), text);
        EXPECT_EQ(text_of(with[plain.size() + i].mapping), text + " x.ba.ro.0.2");
        EXPECT_EQ(text_of(with[2 * plain.size() + i].mapping), text + " x.bg.ro.0.2 x.ch.ro.2.2");
    }
    EXPECT_EQ(hashed(plain, {}).size(), plain.size());
}

}  // namespace
}  // namespace pimdse::models::umdam::written_mapping_test
