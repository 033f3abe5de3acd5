#include "sim/dram/mapping.hpp"
#include "sim/dram/gf2.hpp"
#include "sim/dram/mapping_class.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"
#include "tests/unit/sim/dram/random_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <random>
#include <set>

namespace pimdse::sim::dram::test::mapping_test {
namespace {

Organisation lpddr5() { return models::load_dram_standard("L5J").organisation; }

TEST(Mapping, reads_tokens_from_the_least_significant_bit) {
    auto const m = parse_mapping("of5 co3 ch2 bg2 ba2 co3 ro15", lpddr5());
    // offset 5 bits, column low 3, channel 2, group 2, bank 2, column high 3, row 15
    std::uint64_t const address =
        (0x5A5AULL << 17) | (6ULL << 14) | (2ULL << 12) | (1ULL << 10) | (3ULL << 8) | (5ULL << 5) | 9;
    auto const c = m.coordinates(address);
    EXPECT_EQ(c[Field::channel], 3U);
    EXPECT_EQ(c[Field::group], 1U);
    EXPECT_EQ(c[Field::bank], 2U);
    EXPECT_EQ(c[Field::column], 5U + 8 * 6U);
    EXPECT_EQ(c[Field::row], 0x5A5AU);
    EXPECT_EQ(m.place(address), (Place{3, 1 * 4 + 2, 0x5A5A}));
}

TEST(Mapping, applies_xor_terms_after_extraction) {
    auto const m = parse_mapping("of5 co2 ch2 bg2 ba2 co4 ro15 x.ch.co.0.2 x.bg.co.2.2 x.ba.co.4.2", lpddr5());
    auto const plain = parse_mapping("of5 co2 ch2 bg2 ba2 co4 ro15", lpddr5());
    for (std::uint64_t i = 0; i < 5000; ++i) {
        std::uint64_t const address = (i * 0x9E3779B97F4A7C15ULL) >> 32;
        auto c = plain.coordinates(address);
        EXPECT_EQ(m.coordinates(address)[Field::channel], c[Field::channel] ^ (c[Field::column] & 3));
        EXPECT_EQ(m.coordinates(address)[Field::group], c[Field::group] ^ ((c[Field::column] >> 2) & 3));
        EXPECT_EQ(m.coordinates(address)[Field::bank], c[Field::bank] ^ ((c[Field::column] >> 4) & 3));
    }
}

/// A random invertible map of the bits above the offset, rows included.
Mapping sample_linear(Organisation const& o, std::mt19937_64& random) {
    auto const bits_of = [](int count) { return std::countr_zero(static_cast<unsigned>(count)); };
    std::array<int, field_count> const widths{bits_of(o.channels), bits_of(o.ranks), bits_of(o.bank_groups),
                                              bits_of(o.banks),    bits_of(o.rows),  bits_of(o.columns())};
    int const bits = std::accumulate(widths.begin(), widths.end(), 0), offset = bits_of(o.burst_bytes);
    std::vector<std::uint64_t> rows;
    while (static_cast<int>(rows.size()) < bits) {
        std::uint64_t const row = (random() >> (64 - bits)) << offset;
        rows.push_back(row);
        if (gf2::rank(rows) < rows.size()) rows.pop_back();
    }
    Mapping::Masks masks;
    auto next = rows.begin();
    for (std::size_t f = 0; f < field_count; ++f) {
        masks[f].assign(next, next + widths[f]);
        next += widths[f];
    }
    return Mapping::from_masks(std::move(masks), offset, o);
}

TEST(Mapping, is_undone_by_its_inverse_whatever_the_matrix) {
    std::mt19937 random(5);
    std::mt19937_64 linear(5);
    for (unsigned i = 0; i < 200; ++i) {
        auto const o = lpddr5();
        auto const m = i % 2 == 0 ? random_mapping(o, random) : sample_linear(o, linear);
        for (int k = 0; k < 20; ++k) {
            std::uint64_t const address =
                (random() * 4294967296ULL + random()) % (std::uint64_t{1} << m.address_bits()) & ~31ULL;
            auto const c = m.coordinates(address);
            EXPECT_EQ(m.address(c), address);
            EXPECT_EQ(
                m.place(address),
                (Place{c[Field::channel], (c[Field::rank] * 4 + c[Field::group]) * 4 + c[Field::bank], c[Field::row]}));
        }
    }
}

std::string refusal(std::string const& text) {
    return refusal_by([&] { (void)parse_mapping(text, lpddr5()); }, "accepted");
}

TEST(Mapping, names_two_colliding_addresses_of_a_singular_matrix) {
    auto const text = refusal("of5 ch2 bg2 ba2 co6 ro15 x.bg.bg.0.1");
    EXPECT_THAT(text, ::testing::HasSubstr("singular"));
    EXPECT_THAT(text, ::testing::HasSubstr("0x80"));  // bg bit 0 is address bit 7
}

TEST(Mapping, refuses_what_does_not_fit_in_one_sentence) {
    EXPECT_THAT(refusal("of5 ch2 bg2 ba2 co5 ro15"), says("column-bits-but-organisation"));
    EXPECT_THAT(refusal("of6 ch2 bg2 ba2 co6 ro15"), ::testing::HasSubstr("of5"));
    EXPECT_THAT(refusal("of5 ch2 bg2 ba2 co6 ro16"), ::testing::HasSubstr("larger density"));
    EXPECT_THAT(refusal("of5 ch2 qq2 ba2 co6 ro15"), says("token-qq2-name-field"));
    EXPECT_THAT(refusal("of5 ch2 bg2 ba2 co6 ro15 x.ch.co.0"), ::testing::HasSubstr("x.D.S.k.n"));
    EXPECT_THAT(refusal("of5 ch2 bg2 ba2 co6 ro15 x.ch.co.0.3"), ::testing::HasSubstr("writes bit 2"));
    EXPECT_THAT(refusal("umdamm"), ::testing::HasSubstr("umdam"));
}

TEST(Mapping, fits_named_orders_to_the_organisation) {
    EXPECT_EQ(parse_mapping("umdam", lpddr5()).text(), "of5 co3 ch2 ra0 bg2 ba2 co3 ro15");
    EXPECT_EQ(parse_mapping("umdam", lpddr5(), 0).text(), "of5 co0 ch2 ra0 bg2 ba2 co6 ro15");
    EXPECT_EQ(parse_mapping("channel_msb", lpddr5()).text(), "of5 co3 bg2 ba2 co3 ro15 ch2 ra0");
    EXPECT_EQ(parse_mapping("conventional x.ba.ro.0.2", lpddr5()).text(), "of5 ch2 ra0 bg2 ba2 co6 ro15 x.ba.ro.0.2");
    auto const d4 = models::load_dram_standard("D4_2400").organisation;
    EXPECT_EQ(
        class_of(parse_mapping("MOP4CLXOR", d4)),
        class_of(parse_mapping("of6 co2 ra1 bg2 ba2 co5 ro16 x.ra.co.0.1 x.bg.co.1.2 x.ba.co.3.2 x.ro.co.5.2", d4)));
    auto const hbm = models::load_dram_standard("HBM2_2000").organisation;
    EXPECT_EQ(class_of(parse_mapping("MOP4CLXOR", hbm)),
              class_of(parse_mapping("of5 co2 ch3 pc1 bg2 ba2 co3 ro15 x.ch.co.0.3 x.pc.co.3.1 x.bg.co.4.2", hbm)));
    for (auto const& name : mapping_names()) EXPECT_NO_THROW((void)parse_mapping(name, hbm)) << name;
}

/// Renames within levels: adds channel masks to bank masks, but column masks nowhere.
Mapping renamed(Mapping const& m, Organisation const& o, Visible visible, std::mt19937& random) {
    Mapping::Masks masks;
    std::vector<std::uint64_t> outer;
    for (auto const field : {Field::channel, Field::rank, Field::group, Field::bank, Field::row, Field::column}) {
        auto own = m.masks(field);
        bool const by_number = (visible.rank_order && field == Field::rank) ||
                               (visible.bank_order && (field == Field::group || field == Field::bank));
        if (by_number) {
            masks[static_cast<std::size_t>(field)] = own;
            outer.insert(outer.end(), own.begin(), own.end());
            continue;
        }
        std::shuffle(own.begin(), own.end(), random);
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (i + 1 < own.size() && random() % 2 == 0) own[i] ^= own[i + 1];
            for (auto const mask : outer) {
                if (random() % 3 == 0) own[i] ^= mask;
            }
        }
        masks[static_cast<std::size_t>(field)] = own;
        outer.insert(outer.end(), own.begin(), own.end());
    }
    return Mapping::from_masks(masks, m.offset_bits(), o);
}

TEST(MappingClass, is_blind_to_renaming_and_equal_keys_time_alike) {
    std::mt19937 random(11);
    for (unsigned i = 0; i < 90; ++i) {
        auto const one = random_case(i % 3 == 0   ? "L5B"
                                     : i % 3 == 1 ? "D4_2400"
                                                  : "HBM2_2000",
                                     i, Timings::as_given, 2000);
        auto const visible = visible_to(one.standard, one.options);
        auto const other = renamed(one.mapping, one.standard.organisation, visible, random);
        ASSERT_EQ(class_of(one.mapping, visible), class_of(other, visible)) << one.what;
        auto const stream = Stream::list(one.transactions, one.standard.organisation.burst_bytes);
        EXPECT_TRUE(simulate(one.standard, one.mapping, stream, one.options) ==
                    simulate(one.standard, other, stream, one.options))
            << one.what;
    }
}

TEST(MappingClass, has_a_representative_that_is_its_own_and_times_as_every_member_does) {
    std::mt19937 random(23);
    for (unsigned i = 0; i < 90; ++i) {
        auto const one = random_case(i % 3 == 0   ? "L5B"
                                     : i % 3 == 1 ? "D4_2400"
                                                  : "HBM2_2000",
                                     i, Timings::as_given, 2000);
        auto const& o = one.standard.organisation;
        auto const visible = visible_to(one.standard, one.options);
        auto const of = class_of(one.mapping, visible);
        auto const standing = representative(of, o);
        ASSERT_EQ(class_of(standing, visible), of) << one.what;
        EXPECT_EQ(representative(class_of(renamed(one.mapping, o, visible, random), visible), o).text(),
                  standing.text());
        auto const stream = Stream::list(one.transactions, o.burst_bytes);
        EXPECT_TRUE(simulate(one.standard, one.mapping, stream, one.options) ==
                    simulate(one.standard, standing, stream, one.options))
            << one.what;
    }
}

TEST(MappingClass, tells_changed_mappings_apart) {
    auto const o = lpddr5();
    std::set<MappingClass> keys;
    std::mt19937_64 random(7);
    for (std::uint64_t i = 0; i < 300; ++i) keys.insert(class_of(sample_linear(o, random)));
    EXPECT_EQ(keys.size(), 300U);
    EXPECT_NE(class_of(parse_mapping("umdam", o)), class_of(parse_mapping("conventional", o)));
    // Swapping group and bank bits is visible only if bank groups affect timing.
    auto const a = parse_mapping("of5 ch2 bg2 ba2 co6 ro15", o), b = parse_mapping("of5 ch2 ba2 bg2 co6 ro15", o);
    EXPECT_NE(class_of(a), class_of(b));
    EXPECT_EQ(class_of(a, {.groups = false}), class_of(b, {.groups = false}));
    auto const c = parse_mapping("of5 ch2 bg2 ba2 co6 ro15 x.ba.bg.0.1", o);
    EXPECT_EQ(class_of(a), class_of(c));
    EXPECT_NE(class_of(a, {.bank_order = true}), class_of(c, {.bank_order = true}));
}

TEST(BitOrders, number_13860_classes_of_12_bits_when_groups_do_not_show) {
    // Uniform nCCD: group and bank bits are one field of four.
    auto o = lpddr5();
    o.bank_groups = 1;
    o.banks = 16;
    BitOrders const orders({2, 0, 0, 4, 0, 6}, o);
    ASSERT_EQ(orders.count(), 13860U);
    std::set<MappingClass> keys;
    for (std::uint64_t i = 0; i < orders.count(); ++i)
        keys.insert(class_of(make_mapping(orders.at(i), o), {.groups = false}));
    EXPECT_EQ(keys.size(), 13860U);
}

}  // namespace
}  // namespace pimdse::sim::dram::test::mapping_test
