#include "sim/base/check.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/mapping_class.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <random>

namespace pimdse::sim::dram::mapping_text_test {
namespace {

using ::testing::HasSubstr;

Organisation const all_fields{
    .channels = 4, .ranks = 2, .bank_groups = 4, .banks = 4, .rows = 1 << 10, .row_bytes = 2048, .burst_bytes = 32};

std::string refusal(std::string_view text, Organisation const& o = all_fields, int coll_bits = -1) {
    return refusal_by([&] { (void)parse_mapping(text, o, coll_bits); }, "accepted");
}

/// Parses field names from the most significant: Ro Ra Bg Ba Ch Co; Ba without Bg means both, with the group bits
/// lowest.
std::string tokens_of(std::string_view name) {
    std::string tokens;
    bool const groups = name.find("Bg") != std::string_view::npos;
    for (std::size_t at = name.size(); at >= 2; at -= 2) {
        auto const word = name.substr(at - 2, 2);
        if (word == "Ch") tokens += " ch2";
        if (word == "Ra") tokens += " ra1";
        if (word == "Bg") tokens += " bg2";
        if (word == "Ba") tokens += groups ? " ba2" : " bg2 ba2";
        if (word == "Ro") tokens += " ro10";
        if (word == "Co") tokens += " co6";
    }
    return "of5" + tokens;
}

TEST(NamedOrders, stand_as_their_names_read_from_the_right) {
    for (auto const* name : {"RoBaRaCoCh", "RoBaRaChCo", "RoRaBaCoCh", "RoRaBgBaCoCh"}) {
        auto const order = make_mapping(parse_order(tokens_of(name)), all_fields);
        EXPECT_EQ(class_of(parse_mapping(name, all_fields), {.rank_order = true, .bank_order = true}),
                  class_of(order, {.rank_order = true, .bank_order = true}))
            << name;
    }
}

TEST(NamedOrders, spread_bursts_as_they_promise) {
    auto const umdam = parse_mapping("umdam", all_fields);
    auto const conventional = parse_mapping("conventional", all_fields);
    for (std::uint64_t burst = 0; burst < 8; ++burst) {
        EXPECT_EQ(umdam.place(burst * 32), umdam.place(0)) << "256 B to a bank";
        EXPECT_EQ(conventional.place(burst * 32).channel, burst % 4);
    }
    EXPECT_EQ(umdam.place(256).channel, 1U);
    auto const whole = parse_mapping("channel_msb", all_fields);
    std::uint64_t const half = 1ULL << (whole.address_bits() - 1), quarter = half / 2, eighth = half / 4;
    EXPECT_EQ(whole.coordinates(half)[Field::rank], 1U);
    EXPECT_EQ(whole.coordinates(quarter + eighth)[Field::channel], 3U);
    EXPECT_EQ(whole.place(eighth - 32).channel, 0U);
}

TEST(NamedOrders, are_invertible_wherever_fields_have_any_widths) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 60; ++i) {
        auto const power = [&](int max) { return 1 << (random() % static_cast<std::uint64_t>(max + 1)); };
        Organisation o{power(4), power(2), power(2), power(2), power(14), 0, power(9)};
        o.row_bytes = o.burst_bytes * power(7);
        for (auto const& name : mapping_names()) {
            auto const mapping = parse_mapping(name, o);
            auto const address =
                random() & ((1ULL << mapping.address_bits()) - 1) & ~(std::uint64_t(o.burst_bytes) - 1);
            EXPECT_EQ(mapping.address(mapping.coordinates(address)), address) << mapping.text();
            EXPECT_EQ(parse_mapping(mapping.text(), o).text(), mapping.text());
        }
    }
}

TEST(NamedOrders, take_as_many_low_columns_as_there_are) {
    for (int lower = 0; lower <= 6; ++lower) {
        auto const mapping = parse_mapping("umdam", all_fields, lower);
        EXPECT_EQ(mapping.place((32ULL << lower) - 32).channel, 0U);
        EXPECT_EQ(mapping.place(32ULL << lower).channel, 1U);
    }
    EXPECT_EQ(refusal("umdam", all_fields, 7), "coll_bits = 7 exceeds the 6 column bits of the organisation");
    EXPECT_EQ(refusal("channel_msb", all_fields, 7), "coll_bits = 7 exceeds the 6 column bits of the organisation");
    EXPECT_EQ(refusal("conventional", all_fields, 7), "accepted");
}

TEST(MappingText, says_which_token_is_wrong_and_why) {
    EXPECT_THAT(refusal("of5 ch"), says("token-ch-no-bit"));
    EXPECT_THAT(refusal("of5 ch-1"), says("token-ch-no-bit-2"));
    EXPECT_THAT(refusal("of5 ch64"), says("token-ch64-no-bit"));
    EXPECT_THAT(refusal("of5 ch2x"), says("token-ch2x-no-bit"));
    EXPECT_THAT(refusal("of5 ch99999999999999999999"), says("no-bit-count"));
    EXPECT_THAT(refusal("ch2 of5"), says("token-of5-come-first"));
    EXPECT_THAT(refusal("umdam of5"), says("token-of5-come-first-2"));
    EXPECT_THAT(refusal("of5 ro20 co20 ch4"), says("token-ch4-goes-beyond"));
    for (auto const* token : {"x.ch.co.0", "x.ch.co.0.2.1", "x."}) {
        EXPECT_THAT(refusal(std::string("umdam ") + token), HasSubstr("is not x.D.S.k.n")) << token;
    }
    for (auto const* token : {"x.of.co.0.2", "x.ch.co.-1.2", "x.ch.co..2", "x.ch..0.2", "x.ch.co.0.64"})
        EXPECT_THAT(refusal(std::string("umdam ") + token), says("fields-numbers")) << token;
}

TEST(MappingText, that_is_no_mapping_at_all_is_refused) {
    for (auto const* text : {"", " ", "of", "x", "umdam2", "UMDAM", "of5", "x.ch.co.0.2", "of5 of5", "0", "....."})
        EXPECT_NE(refusal(text), "accepted") << text;
    EXPECT_THAT(refusal("UMDAM"), HasSubstr("unknown mapping 'UMDAM'"));
}

TEST(MappingText, may_have_any_number_of_spaces) {
    auto const plain = parse_mapping("of5 co6 ch2 ra1 bg2 ba2 ro10 x.ch.ro.0.2", all_fields);
    auto const wide = parse_mapping("of5  co6 ch2   pc1 bg2 ba2 ro10  x.ch.ro.0.2 ", all_fields);
    EXPECT_EQ(wide.masks(Field::channel), plain.masks(Field::channel));
    EXPECT_EQ(wide.masks(Field::rank), plain.masks(Field::rank));
    EXPECT_EQ(parse_mapping("umdam   x.ch.ro.0.2", all_fields).text(), "of5 co3 ch2 ra1 bg2 ba2 co3 ro10 x.ch.ro.0.2");
}

TEST(MappingText, of_random_tokens_is_read_or_refused_and_never_more_than_that) {
    std::mt19937_64 random(7);
    std::vector<std::string> const words{"of5", "co6", "ch2",         "ra1",         "bg2",   "ba2", "ro10",
                                         "pc1", "co3", "x.ch.co.0.2", "x.ba.bg.0.1", "umdam", "co0", "x.ba.ba.1.1"};
    int read = 0;
    for (int i = 0; i < 4000; ++i) {
        std::string text = "of5";
        auto tokens = std::vector<std::string>{"co6", "ch2", "ra1", "bg2", "ba2", "ro10"};
        std::shuffle(tokens.begin(), tokens.end(), random);
        if (random() % 2 == 0) tokens[random() % tokens.size()] = words[random() % words.size()];
        if (random() % 2 == 0) tokens.push_back(words[random() % words.size()]);
        for (auto const& token : tokens) text += ' ' + token;
        try {
            auto const mapping = parse_mapping(text, all_fields);
            auto const address = random() & ((1ULL << mapping.address_bits()) - 32);
            ASSERT_EQ(mapping.address(mapping.coordinates(address)), address) << text;
            ++read;
        } catch (InputError const&) {
            continue;
        }
    }
    EXPECT_GT(read, 1000);
    EXPECT_LT(read, 4000);
}

}  // namespace
}  // namespace pimdse::sim::dram::mapping_text_test
